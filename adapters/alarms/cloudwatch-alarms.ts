/**
 * Reads the alarms of a stage with one request. Bound by
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
import type { Alarm, Alarms, FoundAlarms } from '../../core/ports/alarms.ts'
import { makeHttpExchange } from '../aws/exchange.ts'
import { makeRegionalUrl } from '../aws/partition.ts'
import type { JsonService } from '../aws/signed/json-service.ts'
import { makeSignedCalls, type ParsedAnswer } from '../aws/signed/signed-calls.ts'
import type { LambdaConfig } from '../config/config.ts'

/** AWS's own limit of a page; a stage has fewer than half as many. */
const PAGE_ALARMS = 100

const SERVICE: JsonService = {
  label: 'alarms',
  signingName: 'monitoring',
  targetPrefix: 'GraniteServiceVersion20100801.',
  contentType: 'application/x-amz-json-1.0',
  limits: {
    attemptsMax: 2,
    connectionTimeoutMs: 1_000,
    requestTimeoutMs: 3_000,
    pauseMs: 50,
    socketsMax: 1,
    idleSocketMs: 50_000,
    // An alarm with its description, reason and metrics has 5 kB at most.
    answerBytesMax: 2_000_000,
  },
}

/** `stage`: the name of the stage, with which the names of its alarms begin. */
export function makeCloudWatchAlarms(
  { credentials, endpoint, kinds, region, stage }: LambdaConfig & { readonly stage: string },
  nowMs = Date.now,
): Alarms {
  const calls = makeSignedCalls(SERVICE, makeHttpExchange(SERVICE.label, SERVICE.limits), {
    endpoint: endpoint ?? makeRegionalUrl('monitoring', region, kinds),
    region,
    credentials: () => credentials,
    nowMs,
  })
  const prefix = `Skillgate-${stage}-`
  const request = JSON.stringify({
    AlarmNamePrefix: prefix,
    AlarmTypes: ['CompositeAlarm', 'MetricAlarm'],
    MaxRecords: PAGE_ALARMS,
  })
  return {
    read: async () => {
      try {
        return readAlarms(await calls.send('DescribeAlarms', request), prefix)
      } catch (cause) {
        return describe(cause)
      }
    },
  }
}

function readAlarms({ CompositeAlarms, MetricAlarms }: ParsedAnswer, prefix: string): FoundAlarms {
  const all: readonly unknown[] = [CompositeAlarms, MetricAlarms].flat()
  const alarms = all.flatMap((one) => {
    const name: unknown = Reflect.get(Object(one), 'AlarmName')
    // The prefix of the stage dev also fits the alarms of a stage dev-eu.
    const isOurs = typeof name === 'string' && !name.slice(prefix.length).includes('-')
    return isOurs ? [toAlarm(name, Object(one))] : []
  })
  return { kind: 'found', alarms: alarms.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

const STATES: { readonly [state: string]: Alarm['state'] } = { ALARM: 'on', OK: 'off' }

function toAlarm(name: string, fields: object): Alarm {
  const sinceSec: unknown = Reflect.get(fields, 'StateUpdatedTimestamp')
  return {
    name,
    state: STATES[String(Reflect.get(fields, 'StateValue'))] ?? 'unknown',
    ...(typeof sinceSec === 'number' ? { sinceMs: Math.round(sinceSec * 1_000) } : {}),
    reason: String(Reflect.get(fields, 'StateReason') ?? ''),
  }
}

function describe(cause: unknown): FoundAlarms {
  const name = cause instanceof Error ? cause.name : 'UnknownError'
  return /^AccessDenied/.test(name) ? { kind: 'no_right' } : { kind: 'failed', name }
}
