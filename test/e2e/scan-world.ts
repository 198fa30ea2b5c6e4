/**
 * The callers of the twin during the scanned day, and a record of every answer with the texts that
 * it may contain.
 */
import { stringOf } from './fields.ts'
import { bearer, type HttpAnswer, type HttpRequest, send } from './http.ts'
import { openRawSession, type RawSession } from './raw-session.ts'
import { type Canary, knownCanary } from './scanner.ts'
import type { Twin } from './twin.ts'

export type RecordedAnswer = {
  readonly what: string
  readonly text: string
  /** Names of the texts that it may contain. */
  readonly may: readonly string[]
}

export type Call = {
  readonly skill: string
  readonly note: Canary
  readonly idempotencyKey?: string
}

export type ScanWorld = {
  readonly heard: readonly RecordedAnswer[]
  /** Texts made during the day: keys, session ids. */
  readonly made: readonly Canary[]
  /** One request of any caller. */
  ask(name: string, url: string, request: HttpRequest, may?: readonly Canary[]): Promise<HttpAnswer>
  admin(method: string, path: string, body?: object): Promise<HttpAnswer>
  issueKey(uid: string, name: string): Promise<Canary & { readonly id: string }>
  call(key: Canary, call: Call): Promise<HttpAnswer>
  openSession(name: string, key: Canary | undefined): Promise<RawSession>
  /** Records everything that a stream sent, and closes it. */
  hearOut(session: RawSession, may: readonly string[]): void
}

const JSON_TYPE = { 'content-type': 'application/json' }

export function scanWorld(twin: Twin): ScanWorld {
  const heard: RecordedAnswer[] = []
  const made: Canary[] = []
  const ask: ScanWorld['ask'] = async (what, url, request, may = []) => {
    const answer = await send(url, request)
    const text = `${JSON.stringify(answer.headers)}\n${answer.text}`
    heard.push({ what: `${what}: ${answer.status}`, text, may: may.map(({ name }) => name) })
    return answer
  }
  const administrator = bearer(twin.internalApiSecret)
  return {
    heard,
    made,
    ask,
    admin: (method, path, body) =>
      ask(`${method} ${path}`, `${twin.admin}/${path}`, {
        method,
        headers: { ...JSON_TYPE, ...administrator },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    issueKey: async (uid, name) => {
      const url = `${twin.admin}/users/${uid}/keys`
      const answer = await send(url, { method: 'POST', headers: administrator })
      const key = knownCanary(name, stringOf(answer.json(), 'key'))
      made.push(key)
      // The only answer that contains a key on purpose: the rest of it is scanned without the key.
      heard.push({ what: `a key for ${uid}`, text: answer.text.replace(key.value, ''), may: [] })
      return { ...key, id: stringOf(answer.json(), 'keyId') }
    },
    call: (key, { idempotencyKey, note, skill }) => {
      const once = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const headers = { ...JSON_TYPE, ...bearer(key.value), ...once }
      const body = JSON.stringify({ skill, arguments: { note: note.value } })
      // The caller's own upstream may repeat the caller's texts: in a result, and quoted in a
      // failure.
      return ask(`call of ${skill}`, twin.execute, { method: 'POST', headers, body }, [note])
    },
    openSession: async (name, key) => {
      const session = await openRawSession(twin.sse, key?.value)
      const id = new URL(session.postUrl).searchParams.get('session_id') ?? ''
      made.push(knownCanary(name, id))
      return session
    },
    hearOut: (session, may) => {
      heard.push({ what: 'a stream', text: session.pieces.map(({ text }) => text).join(''), may })
      session.close()
    },
  }
}
