/** The gateway under attack, as its attacker and an administrator see it: addresses and requests over HTTP. */
import { numberOf, stringOf } from '../e2e/fields.ts'
import { bearer, type HttpAnswer, send } from '../e2e/http.ts'
import type { HostileUpstreams } from './hostile-upstreams.ts'

export type Runtime = 'twin' | 'lambda'

/** A running gateway. */
export type Gateway = {
  readonly runtime: Runtime
  readonly sse: string
  readonly mcp: string
  /** Of `/mcp` and of the login. */
  readonly origin: string
  readonly execute: string
  readonly admin: string
  readonly internalApiSecret: string
  /** Id of the process that listens; only the twin has one. */
  readonly pid: number | undefined
  /** Undefined: nothing stands before the doors. */
  readonly edge: { readonly value: string; readonly old: string } | undefined
  /** Everything that the login's process has logged so far. */
  log(): string
  stop(): Promise<void>
}

export type User = { readonly uid: string; readonly key: string }

export type Target = Gateway & {
  readonly upstreams: HostileUpstreams
  /** With 100 credits and one key. */
  user(): Promise<User>
  /** An administrator's request, whatever it is answered. */
  ask(method: string, path: string, body?: object | string): Promise<HttpAnswer>
  /** The same, which must be answered with success. */
  must(method: string, path: string, body?: object): Promise<HttpAnswer>
  /** `POST /v1/execute`; `body` is JSON text. */
  call(
    key: string,
    body: string,
    headers?: { readonly [name: string]: string },
  ): Promise<HttpAnswer>
  credits(uid: string): Promise<{ readonly credits: number; readonly onHold: number }>
}

/** Letters and digits that no other attack of this run uses. */
export function freshId(): string {
  fresh += 1
  return `x${process.pid}n${fresh}`
}
let fresh = 0

export function targetOf(gateway: Gateway, upstreams: HostileUpstreams): Target {
  const { admin, edge, execute, internalApiSecret } = gateway
  // What its distribution adds to each request.
  const added: { readonly [name: string]: string } =
    edge === undefined ? {} : { 'x-origin-secret': edge.value }
  const ask: Target['ask'] = (method, path, body) => {
    const headers = { 'content-type': 'application/json', ...bearer(internalApiSecret), ...added }
    const sent = typeof body === 'string' ? body : JSON.stringify(body)
    return send(`${admin}/${path}`, {
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    })
  }
  const must: Target['must'] = async (method, path, body) => {
    const answer = await ask(method, path, body)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
  }
  return {
    ...gateway,
    upstreams,
    ask,
    must,
    user: async () => {
      const uid = freshId()
      await must('POST', 'users', { username: uid, uid, credits: 100 })
      const issued = await must('POST', `users/${uid}/keys`, {})
      return { uid, key: stringOf(issued.json(), 'key') }
    },
    call: (key, body, headers = {}) =>
      send(execute, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...bearer(key), ...added, ...headers },
        body,
      }),
    credits: async (uid) => {
      const user = (await must('GET', `users/${uid}`)).json()
      return { credits: numberOf(user, 'credits'), onHold: numberOf(user, 'creditsOnHold') }
    },
  }
}

/** The definition of an official skill, unless `more` says otherwise. */
export function skillOf(
  id: string,
  config: object,
  more: { readonly [field: string]: unknown } = {},
): { readonly [field: string]: unknown } {
  const parameters = { type: 'object', properties: {} }
  const meta = { name: id, description: `Made by an attack: ${id}.`, parameters }
  return { id, source: 'official', meta, config, credits_per_call: 1, ...more }
}

/** Stores it; answers its id, which is the name of its tool too. */
export async function freshSkill(
  target: Target,
  config: object,
  more: { readonly [field: string]: unknown } = {},
): Promise<string> {
  const id = `sg_${freshId()}`
  await target.must('POST', 'sync_skill', skillOf(id, config, more))
  return id
}

export function callText(skill: string, args: object = {}): string {
  return JSON.stringify({ skill, arguments: args })
}

/** One JSON-RPC message to `/mcp`. */
export function postMcp(target: Target, key: string, message: string): Promise<HttpAnswer> {
  return send(target.mcp, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...bearer(key),
    },
    body: message,
  })
}
