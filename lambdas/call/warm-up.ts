/**
 * Warms up a function before its first request, by a call of a made-up user through the function's
 * own door. Lambda starts a function with a whole core and gives requests a share of one, so V8
 * compiles here what the first caller would wait for. Nothing leaves the process: the store answers
 * from memory (warm-up-store.ts), the upstream is a server on 127.0.0.1, the log is dropped, and
 * the handler has caches of its own. docs/design/functions.md#the-warm-up.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { Writable } from 'node:stream'
import type { Config } from '../../adapters/config/config.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { type DynamoStore, makeStore } from '../../adapters/dynamodb/client/document-store.ts'
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { signedRequests } from '../../adapters/dynamodb/client/signed/signed-requests.ts'
import { toKeyItem } from '../../adapters/dynamodb/records/key-item.ts'
import { toProfileItem } from '../../adapters/dynamodb/records/profile-item.ts'
import { toSkillItem } from '../../adapters/dynamodb/records/skill-item.ts'
import type {
  FunctionUrlEvent,
  ResponseHead,
  StreamingHandler,
} from '../../adapters/http/events.ts'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { createWarmUpExchange } from './warm-up-store.ts'

/** The parts of a handler; `config` has all that the function's own config has. */
export type HandlerParts<C> = {
  readonly config: C
  readonly clock: Clock
  readonly log: Log
  readonly store: DynamoStore
}

export type WarmUp<C> = {
  readonly started: HandlerParts<C>
  /** Builds a handler from other parts, in the way in which the function builds its own. */
  handlerOver(parts: HandlerParts<C>): StreamingHandler
  /** The path of a POST that calls a skill. */
  readonly path: string
  /** The body of that POST: JSON of an agent, or bytes of another function of the gateway. */
  request(skill: string, caller: WarmUpCaller): object
}

export type WarmUpCaller = {
  readonly uid: string
  readonly authorization: string
  readonly nowMs: number
}

type Needs = Pick<Config, 'archive' | 'secretsKey' | 'settings' | 'tables' | 'telemetry'>

/**
 * The answer of the upstream as text, so that Node's HTTP server, which no function needs, is not
 * loaded.
 */
const UPSTREAM_ANSWER = [
  'HTTP/1.1 200 OK',
  'content-type: application/json',
  'content-length: 17',
  'connection: close',
  '',
  '{"warmedUp":true}',
].join('\r\n')
/** Longest warm-up. Lambda ends a start after 10 s, so a warm-up that hangs must end before. */
const WARM_UP_MS_MAX = 2_000

const UID = 'warm-up'
const KEY = `sgk_${UID.repeat(7).slice(0, 43)}`
const AUTHORIZATION = `Bearer ${KEY}`
const DAY_MS = 86_400_000
const SECRET = 'WARM_UP'

/**
 * Makes the call and returns the status of its response; undefined if it failed. A warm-up whose
 * call did not reach the upstream is
 * logged, whatever its status. Never rejects, because the
 * function works without a warm-up.
 */
export async function warmUpFunction<C extends Needs>(
  warmUp: WarmUp<C>,
): Promise<number | undefined> {
  const { log } = warmUp.started
  let asked = 0
  const upstream = createServer((socket) => {
    socket.once('data', () => {
      asked += 1
      socket.end(UPSTREAM_ANSWER)
    })
    socket.on('error', () => {})
  })
  try {
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    const { port } = upstream.address() as AddressInfo
    const status = await Promise.race([callOnce(warmUp, `127.0.0.1:${port}`), rejectLate()])
    if (asked === 0 || !isSuccess(status)) log.note('warn', 'warm-up-failed', { status })
    return status
  } catch (cause) {
    log.note('warn', 'warm-up-failed', {}, cause)
    return undefined
  } finally {
    upstream.close()
  }
}

/** 202 says that the work has begun. */
function isSuccess(status: number | undefined): boolean {
  return status === 200 || status === 202
}

function rejectLate(): Promise<never> {
  return new Promise((_, reject) => {
    const error = new Error(`a warm-up took over ${WARM_UP_MS_MAX} ms`)
    setTimeout(() => reject(error), WARM_UP_MS_MAX).unref()
  })
}

async function callOnce<C extends Needs>(
  { handlerOver, path, request, started }: WarmUp<C>,
  host: string,
): Promise<number | undefined> {
  const { clock, config } = started
  const skill = `${config.settings.prefix}_warm_up`
  const metrics = { stage: config.telemetry.stage, door: UID }
  const settings = { ...config.settings, outboundAllow: [host], privateHosts: [] }
  // Loaded late, as a call loads secrets, so that a start without a warm-up opens none of it.
  // docs/design/functions.md#the-warm-up.
  const { openWarmUpKey, sealWarmUpSecret } = await import('./warm-up-secret.ts')
  const key = await openWarmUpKey()
  const secret = await sealWarmUpSecret({ key, uid: UID, name: SECRET, nowMs: clock.nowMs() })
  const requests = openWarmUpStore(skill, host, clock.nowMs(), secret)
  const handler = handlerOver({
    clock,
    config: { ...config, settings, secretsKey: key },
    log: makeJsonLog({ write: () => {}, clock, metrics }),
    store: makeStore(requests, { tables: config.tables, clock }),
  })
  const out = new DroppedAnswer()
  const caller = { uid: UID, authorization: AUTHORIZATION, nowMs: clock.nowMs() }
  await handler(toEvent(path, request(skill, caller)), out, CONTEXT)
  return out.head?.statusCode
}

function openWarmUpStore(skillId: string, host: string, nowMs: number, secret: Item) {
  const key = { keyHash: nodeDigests().sha256(KEY), uid: UID, username: UID, keyPrefix: 'sgk_' }
  const times = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + DAY_MS }
  const profile = { uid: UID, username: UID, tier: 'free', credits: 1_000_000, holds: {} }
  return signedRequests({
    endpoint: new URL('https://warm-up.invalid'),
    region: 'us-east-1',
    credentials: () => ({ accessKeyId: UID, secretAccessKey: UID, sessionToken: UID }),
    exchange: createWarmUpExchange([
      toKeyItem({ ...key, ...times }),
      toProfileItem({ ...profile, createdAtMs: nowMs, skillsChangedAtMs: 0 }),
      secret,
      toSkillItem({
        skillId,
        source: 'official',
        uid: undefined,
        toolName: skillId,
        version: 1,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        by: UID,
        origin: 'sync',
        definition: toDefinition(skillId, host),
      }),
    ]),
  })
}

function toDefinition(id: string, host: string) {
  return {
    id,
    source: 'official',
    meta: {
      name: UID,
      description: 'Is called before the first request.',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', minLength: 1 }, count: { type: 'integer' } },
        required: ['text'],
      },
    },
    config: {
      endpoint: `http://${host}/`,
      method: 'GET',
      auth: { type: 'bearer', secret: SECRET },
    },
    credits_per_call: 0.001,
  }
}

/** IAM proves a function of the gateway; agents send JSON. */
function toEvent(path: string, body: object): FunctionUrlEvent {
  const isOurs = body instanceof Uint8Array
  const iam = { accountId: UID, userArn: UID }
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: {
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'gzip, deflate',
      authorization: AUTHORIZATION,
      'content-type': 'application/json',
      // Used by execute only; mcp has no such header.
      'idempotency-key': UID,
      host: 'warm-up.invalid',
      'mcp-protocol-version': '2025-11-25',
    },
    requestContext: {
      http: { method: 'POST', path, sourceIp: '127.0.0.1' },
      requestId: UID,
      domainName: 'warm-up.invalid',
      ...(isOurs ? { authorizer: { iam } } : {}),
    },
    body: isOurs ? Buffer.from(body).toString('base64') : JSON.stringify(body),
    isBase64Encoded: isOurs,
  }
}

const CONTEXT = { awsRequestId: UID, getRemainingTimeInMillis: () => 60_000 }

/** A response stream that drops the response and keeps its head. */
class DroppedAnswer extends Writable {
  head: ResponseHead | undefined

  setHead(head: ResponseHead): void {
    this.head = head
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }
}
