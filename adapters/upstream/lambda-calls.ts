/**
 * Signed Invoke requests to Lambda, by the role of the function that makes the call, or on a laptop
 * by the credentials of the terminal. No log of the function is requested. Bound by
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
import { isFunctionName, parseFunctionArn } from '../../core/json/function-name.ts'
import { makeInvokePath } from '../../core/skills/lambda-target.ts'
import type { LambdaTarget } from '../../core/skills/skill.ts'
import { type Exchange, type HttpAnswer, makeHttpExchange } from '../aws/exchange.ts'
import { makeRegionalUrl } from '../aws/partition.ts'
import { makeSigner, type Sign } from '../aws/sign-request.ts'
import type { LambdaConfig } from '../config/config.ts'

/**
 * Longest answer that is read, where the call allows more. Lambda itself ends a buffered answer at
 * 6 MB, and that of a skill has at most 4 MB.
 */
const ANSWER_BYTES_MAX = 6_291_456
/** A host of AWS that does not accept a connection in this time fails the call early. */
const CONNECTION_TIMEOUT_MS = 3_000
/** Connections of one process to all functions; more calls wait for one. */
const SOCKETS_MAX = 64
/** Lambda's hosts keep idle connections for a minute or more. */
const IDLE_SOCKET_MS = 50_000

export type Invocation = {
  readonly target: LambdaTarget
  /** `DryRun` checks the permission and runs nothing. */
  readonly kind: 'RequestResponse' | 'DryRun'
  /** JSON; undefined with `DryRun`. */
  readonly event: Uint8Array | string | undefined
  readonly signal: AbortSignal
  readonly answerBytesMax?: number
}

export type LambdaCalls = {
  /** Throws what the exchange throws. */
  invoke(invocation: Invocation): Promise<HttpAnswer>
  /** The URL to which the request goes. */
  urlOf(target: LambdaTarget): URL
}

/** `nowMs` reads the wall clock, by which requests are signed. */
export function makeLambdaCalls(config: LambdaConfig, nowMs = Date.now): LambdaCalls {
  let exchange: Exchange | undefined
  const signers = new Map<string, Sign>()
  const signFor = (region: string) => {
    const sign = signers.get(region) ?? makeSigner('lambda', region)
    signers.set(region, sign)
    return sign
  }
  const urlOf = (target: LambdaTarget) => makeUrl(config, target)
  return {
    urlOf,
    invoke: ({ event, kind, target, ...limits }) => {
      exchange ??= makeHttpExchange('lambda', {
        connectionTimeoutMs: CONNECTION_TIMEOUT_MS,
        socketsMax: SOCKETS_MAX,
        idleSocketMs: IDLE_SOCKET_MS,
        answerBytesMax: ANSWER_BYTES_MAX,
      })
      const headers = { 'content-type': 'application/json', 'x-amz-invocation-type': kind }
      const request = { method: 'POST', url: urlOf(target), headers, body: event ?? '' }
      const signed = signFor(findRegion(config, target))(request, config.credentials, nowMs())
      return exchange.send({ ...request, headers: signed, ...limits })
    },
  }
}

function makeUrl(config: LambdaConfig, target: LambdaTarget): URL {
  const { endpoint, kinds } = config
  const base = endpoint ?? makeRegionalUrl('lambda', findRegion(config, target), kinds)
  return new URL(makeInvokePath(target), base)
}

/** A plain name is a function of the gateway's own region. */
function findRegion({ region }: Pick<LambdaConfig, 'region'>, { functionName }: LambdaTarget) {
  if (isFunctionName(functionName)) return region
  return parseFunctionArn(functionName)?.region ?? region
}
