/**
 * A function rehearses before its first request: it makes the call of a made-up user through its own door. Lambda starts a
 * function with a whole core and gives requests a share of one, so V8 compiles here what the first caller would wait for.
 * Nothing leaves the process: the store answers from memory (rehearsal-store.ts), the upstream is a server on 127.0.0.1, the
 * log is dropped, and each has caches of its own. ADR 0082.
 */
import { type AddressInfo, createServer } from 'node:net'
import { Writable } from 'node:stream'
import type { Config } from '../../adapters/config/config.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { type DynamoStore, storeOver } from '../../adapters/dynamodb/client/document-store.ts'
import { signedRequests } from '../../adapters/dynamodb/client/signed/signed-requests.ts'
import { keyItem } from '../../adapters/dynamodb/records/key-item.ts'
import { profileItem } from '../../adapters/dynamodb/records/profile-item.ts'
import { skillItem } from '../../adapters/dynamodb/records/skill-item.ts'
import type {
  FunctionUrlEvent,
  ResponseHead,
  StreamingHandler,
} from '../../adapters/http/events.ts'
import { jsonLog } from '../../adapters/telemetry/json-log.ts'
import type { Clock, Log } from '../../core/ports.ts'
import { rehearsalExchange } from './rehearsal-store.ts'

/** What a handler is made of; `config` has what the function's own has. */
export type Cast<C> = {
  readonly config: C
  readonly clock: Clock
  readonly log: Log
  readonly store: DynamoStore
}

export type Rehearsal<C> = {
  readonly started: Cast<C>
  /** The handler over other parts, as the function makes its own. */
  handlerOver(cast: Cast<C>): StreamingHandler
  /** The path and the body of a POST that calls `skill`. */
  readonly path: string
  request(skill: string): object
}

type Needs = Pick<Config, 'settings' | 'tables' | 'telemetry'>

/** Without Node's HTTP server, whose code no function needs. */
const ANSWER = [
  'HTTP/1.1 200 OK',
  'content-type: application/json',
  'content-length: 18',
  'connection: close',
  '',
  '{"rehearsed":true}',
].join('\r\n')
/** Longer than any rehearsal: a start that hangs would be ended by Lambda after 10 s. */
const REHEARSAL_MS_MAX = 2_000

const KEY = `sgk_${'rehearsal-'.repeat(5).slice(0, 43)}`
const UID = 'rehearsal'
const DAY_MS = 86_400_000

/** The status of its answer; undefined where it failed. Never rejects: a function serves without it as well. */
export async function rehearse<C extends Needs>(
  rehearsal: Rehearsal<C>,
): Promise<number | undefined> {
  const upstream = createServer((socket) => {
    socket.once('data', () => socket.end(ANSWER))
    socket.on('error', () => {})
  })
  try {
    await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening))
    const { port } = upstream.address() as AddressInfo
    return await Promise.race([perform(rehearsal, `127.0.0.1:${port}`), late()])
  } catch (cause) {
    rehearsal.started.log.note('warn', 'rehearsal-failed', {}, cause)
    return undefined
  } finally {
    upstream.close()
  }
}

function late(): Promise<never> {
  return new Promise((_, reject) => {
    const error = new Error(`a rehearsal took over ${REHEARSAL_MS_MAX} ms`)
    setTimeout(() => reject(error), REHEARSAL_MS_MAX).unref()
  })
}

async function perform<C extends Needs>(
  { handlerOver, path, request, started }: Rehearsal<C>,
  host: string,
): Promise<number | undefined> {
  const { clock, config } = started
  const skill = `${config.settings.prefix}_rehearsal`
  const cast: Cast<C> = {
    clock,
    config: { ...config, settings: { ...config.settings, outboundAllow: [host] } },
    log: jsonLog({ write: () => {}, clock, metrics: { stage: config.telemetry.stage, door: UID } }),
    store: storeOver(storeRequests(skill, host, clock.nowMs()), { tables: config.tables, clock }),
  }
  const out = new Stage()
  await handlerOver(cast)(eventOf(path, request(skill)), out, CONTEXT)
  return out.head?.statusCode
}

function storeRequests(skillId: string, host: string, nowMs: number) {
  const key = { keyHash: nodeDigests().sha256(KEY), uid: UID, username: UID, keyPrefix: 'sgk_' }
  const times = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + DAY_MS }
  const profile = { uid: UID, username: UID, tier: 'free', credits: 1_000_000, holds: {} }
  return signedRequests({
    endpoint: new URL('https://rehearsal.invalid'),
    region: 'us-east-1',
    credentials: () => ({ accessKeyId: UID, secretAccessKey: UID, sessionToken: UID }),
    exchange: rehearsalExchange([
      keyItem({ ...key, ...times }),
      profileItem({ ...profile, createdAtMs: nowMs, skillsChangedAtMs: 0 }),
      skillItem({
        ...{ skillId, source: 'official', uid: undefined, toolName: skillId, version: 1 },
        ...{ createdAtMs: nowMs, updatedAtMs: nowMs },
        definition: definitionOf(skillId, host),
      }),
    ]),
  })
}

function definitionOf(id: string, host: string) {
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
    config: { endpoint: `http://${host}/`, method: 'GET', headers: { accept: 'application/json' } },
    credits_per_call: 0.001,
  }
}

function eventOf(path: string, body: object): FunctionUrlEvent {
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers: {
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'gzip, deflate',
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      host: 'rehearsal.invalid',
      'mcp-protocol-version': '2025-11-25',
    },
    requestContext: {
      http: { method: 'POST', path, sourceIp: '127.0.0.1' },
      requestId: UID,
      domainName: 'rehearsal.invalid',
    },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  }
}

const CONTEXT = { awsRequestId: UID, getRemainingTimeInMillis: () => 60_000 }

/** Takes an answer, and drops it. */
class Stage extends Writable {
  head: ResponseHead | undefined

  setHead(head: ResponseHead): void {
    this.head = head
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }
}
