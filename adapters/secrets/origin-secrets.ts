/**
 * Reads the values by which the edge proves itself, by the light client of Secrets Manager: the
 * doors that agents wait for load no SDK. Only a stage with an edge loads this file. The limits
 * differ from those of the admin secrets, because each call depends on these values.
 */
import { type OriginSecret, readOriginSecret } from '../../core/access/origin-secret.ts'
import { Fault } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/outside.ts'
import { makeHttpExchange } from '../aws/exchange.ts'
import type { JsonService } from '../aws/signed/json-service.ts'
import { makeSignedCalls } from '../aws/signed/signed-calls.ts'
import type { EdgeConfig } from '../config/config.ts'
import { cacheValue } from './kept-value.ts'
import { ORIGIN_SECRET_FRESH_MS, ORIGIN_SECRET_STALE_MS, SECRETS_PAUSE_MS } from './limits.ts'

const SERVICE: JsonService = {
  label: 'secrets',
  signingName: 'secretsmanager',
  targetPrefix: 'secretsmanager.',
  contentType: 'application/x-amz-json-1.1',
  limits: {
    // Three attempts end before the 15 s of a call.
    attemptsMax: 3,
    connectionTimeoutMs: 1_000,
    requestTimeoutMs: 2_000,
    pauseMs: 50,
    socketsMax: 1,
    idleSocketMs: 50_000,
    // A secret has 64 kB at most, and JSON in it is escaped.
    answerBytesMax: 200_000,
  },
}

/**
 * The result throws `Fault('store_unavailable')` if the process has no value yet. `ageMsMax`: how
 * old the values may be.
 */
export function makeOriginSecretReader(
  { credentials, endpoint, region, secretId }: EdgeConfig,
  options: {
    readonly clock: Pick<Clock, 'nowMs'>
    /** Reports a failed fetch while older values are still used. */
    readonly onStale: (cause: unknown) => void
  },
): (ageMsMax?: number) => Promise<OriginSecret> {
  const calls = makeSignedCalls(SERVICE, makeHttpExchange(SERVICE.label, SERVICE.limits), {
    endpoint,
    region,
    credentials: () => credentials,
  })
  const fetch = async (): Promise<OriginSecret> => {
    const answer = await calls
      .send('GetSecretValue', JSON.stringify({ SecretId: secretId }))
      .catch((cause) => {
        throw new Fault('store_unavailable', `secret ${secretId}: could not be fetched`, cause)
      })
    const text = answer['SecretString']
    const secret = readOriginSecret(typeof text === 'string' ? text : undefined)
    if (secret !== undefined) return secret
    throw new Fault('store_unavailable', `secret ${secretId}: does not have the form; ${REMEDY}`)
  }
  const limits = {
    freshMs: ORIGIN_SECRET_FRESH_MS,
    staleMs: ORIGIN_SECRET_STALE_MS,
    pauseMs: SECRETS_PAUSE_MS,
  }
  return cacheValue({ clock: options.clock, limits, fetch, onStale: options.onStale })
}

const REMEDY = 'restore its version before, and let skillgate edge rotate alone write it'
