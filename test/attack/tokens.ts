/** Tokens of authorization servers as attacks make them and send them. */

import { setTimeout as delay } from 'node:timers/promises'
import { bearer, type HttpAnswer, send } from '../e2e/http.ts'
import type { TestIssuer } from '../issuers/test-issuer.ts'
import { freshId, postMcp, type Target, type User } from './target.ts'

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })

/** A subject of the issuer who is a user of the gateway. */
export type Person = User & { readonly subject: string; readonly keyId: string }

export async function linkPerson(target: Target, { url }: TestIssuer): Promise<Person> {
  const user = await target.user()
  const subject = freshId()
  const body = { issuer: url, subject }
  const linked = await target.must('POST', `users/${user.uid}/identities`, body)
  return { ...user, subject, keyId: String(linked.json()['keyId']) }
}

/** `401 invalid_token`: the status, and the error of the challenge if it has one. */
export function describeAccess({
  headers,
  status,
}: Pick<HttpAnswer, 'headers' | 'status'>): string {
  const challenge = headers['www-authenticate'] ?? headers[RENAMED]
  const error = /error="([a-z_]+)"/.exec(String(challenge))?.[1]
  return error === undefined ? String(status) : `${status} ${error}`
}

/** What a function URL makes of WWW-Authenticate. */
const RENAMED = 'x-amzn-remapped-www-authenticate'

export async function listByToken(target: Target, token: string): Promise<string> {
  return describeAccess(await postMcp(target, token, LIST))
}

/** What each door of agents answers: a list, a call of a skill that nobody has, and a stream. */
export async function tryDoors(target: Target, token: string): Promise<readonly string[]> {
  const text = JSON.stringify({ skill: 'sg_nobody', arguments: {} })
  const call = await target.call(token, text)
  const leave = new AbortController()
  const { signal } = leave
  const stream = await fetch(target.sse, { headers: bearer(token), signal })
  leave.abort()
  return [
    await listByToken(target, token),
    describeAccess(call),
    describeAccess({ status: stream.status, headers: Object.fromEntries(stream.headers) }),
  ]
}

/** The status of `GET /v1/admin/users` with such headers. */
export async function askAdmin(
  { admin, runtime }: Target,
  headers: { readonly [name: string]: string },
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const { status } = await send(`${admin}/users`, { headers })
    // API Gateway answers so when every environment is at work: the last one may not have polled yet.
    const isThrottled = runtime === 'lambda' && status === 500
    if (!isThrottled || tries === THROTTLED_TRIES_MAX) return String(status)
    await delay(THROTTLED_PAUSE_MS)
  }
}

const THROTTLED_TRIES_MAX = 20
const THROTTLED_PAUSE_MS = 250

/** A token of these parts, whatever they are; `sign` gets what is signed. */
export function assemble(header: object, claims: object, sign: (input: string) => string): string {
  const input = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${input}.${sign(input)}`
}

/** The claims of a token, read without its signature. */
export function claimsOf(token: string): object {
  const [, body = ''] = token.split('.')
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'))
}
