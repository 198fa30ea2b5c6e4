/** An administrator's requests over HTTP, for tests that need a user, a skill or a balance. */
import { type Fields, numberOf, stringOf } from './fields.ts'
import { bearer, type HttpAnswer, postJson, send } from './http.ts'
import type { Twin } from './twin.ts'
import { until } from './wait.ts'

type Admin = Pick<Twin, 'admin' | 'internalApiSecret' | 'url'>

export type Balance = { readonly credits: number; readonly onHold: number }

export async function balanceOf(twin: Admin, uid: string): Promise<Balance> {
  const answer = await send(`${twin.admin}/users/${uid}`, {
    headers: bearer(twin.internalApiSecret),
  })
  const user = must(answer, 200)
  return { credits: numberOf(user, 'credits'), onHold: numberOf(user, 'creditsOnHold') }
}

/** Credits of a user, once nothing is on hold. */
export async function settledBalance(twin: Admin, uid: string): Promise<number> {
  return until(async () => {
    const { credits, onHold } = await balanceOf(twin, uid)
    return onHold === 0 ? credits : undefined
  })
}

export async function createUser(
  twin: Admin,
  user: {
    readonly username: string
    readonly credits: number
    readonly groups?: readonly string[]
  },
): Promise<{ readonly uid: string; readonly key: string }> {
  const made = must(await adminPost(twin, 'users', user), 201)
  const uid = stringOf(made, 'uid')
  const issued = must(await adminPost(twin, `users/${uid}/keys`, {}), 201)
  return { uid, key: stringOf(issued, 'key') }
}

/** A new skill; answers its tool name. */
export async function syncSkill(
  twin: Admin,
  skill: {
    readonly id: string
    /** A path under the twin's /sample/, with its query; or a whole URL. */
    readonly at: string
    readonly price?: number
    readonly method?: 'GET' | 'POST'
    /** The owner of a private skill. */
    readonly uid?: string
    /** `config.task`. */
    readonly task?: object
  },
): Promise<string> {
  const query = skill.uid === undefined ? '' : `?uid=${skill.uid}`
  const stored = must(
    await adminPost(twin, `sync_skill${query}`, {
      id: skill.id,
      source: skill.uid === undefined ? 'official' : 'private',
      meta: {
        name: skill.id,
        description: `Made by a test: ${skill.id}.`,
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: [] },
      },
      config: {
        ...(skill.task === undefined ? {} : { task: skill.task }),
        endpoint: new URL(skill.at, `${twin.url}/sample/`).href,
        method: skill.method ?? 'GET',
      },
      credits_per_call: skill.price ?? 0,
    }),
    201,
  )
  return stringOf(stored, 'toolName')
}

/** An official skill, or a private one of `owner`; answers its tool name. */
export function pushSkill(twin: Admin, definition: Definition, owner?: string): Promise<string> {
  const { config, id, parameters = NO_PARAMETERS, price = 0 } = definition
  const meta = { name: id, description: `Made by a test: ${id}.`, parameters }
  return pushJson(twin, { id, meta, config, credits_per_call: price }, owner)
}

/** The same with a whole definition, of which only the source is changed. */
export async function pushJson(twin: Admin, json: object, owner?: string): Promise<string> {
  const query = owner === undefined ? '' : `?uid=${owner}`
  const source = owner === undefined ? 'official' : 'private'
  const stored = await adminPost(twin, `sync_skill${query}`, { ...json, source })
  return stringOf(must(stored, 201), 'toolName')
}

export type Definition = {
  readonly id: string
  readonly config: object
  readonly parameters?: object
  readonly price?: number
}

const NO_PARAMETERS = { type: 'object', properties: {} }

/** For all skills of the user, or for one. */
export async function setSecret(
  twin: Admin,
  uid: string,
  {
    name,
    skill,
    value,
  }: { readonly name: string; readonly value: string; readonly skill?: string },
): Promise<void> {
  const query = skill === undefined ? '' : `?skill=${skill}`
  const answer = await send(`${twin.admin}/users/${uid}/secrets/${name}${query}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...bearer(twin.internalApiSecret) },
    body: JSON.stringify({ value }),
  })
  must(answer, 200)
}

export function adminPost(twin: Admin, path: string, body: object): Promise<HttpAnswer> {
  return postJson(`${twin.admin}/${path}`, body, bearer(twin.internalApiSecret))
}

function must(answer: HttpAnswer, status: number): Fields {
  if (answer.status === status) return answer.json()
  throw new Error(`${answer.status} instead of ${status}: ${answer.text}`)
}
