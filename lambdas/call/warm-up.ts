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
  /** The path of a POST that calls a skill; `request` returns its body. */
  readonly path: string
  request(skill: string): object
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
const DAY_MS = 86_400_000
const SECRET = 'WARM_UP'

/**
 * Makes the call and returns the status of its response; undefined if it failed. A call that did not
 * reach the upstream is logged: messages answers before it calls. Never rejects, because the function
 * works without a warm-up.
 */
export async function warmUpFunction<C extends Needs>(
  warmUp: WarmUp<C>,
): Promise<number | undefined> {
  const { log } = warmUp.started
  let asked: true | undefined
  const upstream = createServer((socket) => {
    asked = true
    socket.once('data', () => socket.end(UPSTREAM_ANSWER))
    socket.on('error', () => {})
  })
  try {
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    const { port } = upstream.address() as AddressInfo
    const status = await Promise.race([callOnce(warmUp, `127.0.0.1:${port}`), rejectLate()])
    if (!asked) log.note('warn', 'warm-up-failed', { status })
    return status
  } catch (cause) {
    log.note('warn', 'warm-up-failed', {}, cause)
    return undefined
  } finally {
    upstream.close()
  }
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
  await handler(toEvent(path, request(skill)), out, CONTEXT)
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

function toEvent(path: string, body: object): FunctionUrlEvent {
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: {
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'gzip, deflate',
      authorization: `Bearer ${KEY}`,
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
    },
    body: JSON.stringify(body),
    isBase64Encoded: false,
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
