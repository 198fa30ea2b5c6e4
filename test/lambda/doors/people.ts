// An administrator's preparations before an agent can call anything, over the REST API: users with
// credits and keys, skills. And a test's look at the credits afterwards.

import { setTimeout as delay } from 'node:timers/promises'
import { SECRETS, type World } from './world.ts'

export type User = { readonly uid: string; readonly username: string; readonly key: string }

export type Credits = { readonly credits: number; readonly creditsOnHold: number }

/** Ends a wait for what never comes; it measures nothing. */
const CHANGE_MS_MAX = 100_000

type AdminAsk = { readonly body?: object; readonly headers?: Record<string, string> }

export async function askAdmin(
  world: World,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  { body, headers = { 'x-admin-key': SECRETS.ADMIN_KEY } }: AdminAsk = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${world.adminApi.url}/v1/admin/${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

export async function newUser(world: World, username: string, credits: number): Promise<User> {
  const created = await askAdmin(world, 'POST', 'users', {
    body: { username, uid: username, credits },
  })
  const issued = await askAdmin(world, 'POST', `users/${username}/keys`)
  if (created.status !== 201 || issued.status !== 201) {
    throw new Error(`${JSON.stringify([created, issued])}\n${world.admin.log()}`)
  }
  return { uid: username, username, key: String(issued.body['key']) }
}

export function skillOf(world: World, name: 'echo' | 'hold', creditsPerCall: number): object {
  const argument = name === 'echo' ? 'text' : 'step'
  return {
    id: `sg_${name}`,
    source: 'official',
    meta: {
      name,
      description: `The ${name} of these tests.`,
      parameters: {
        type: 'object',
        properties: { [argument]: { type: 'string', description: 'Comes back.' } },
        required: [argument],
      },
    },
    config: { endpoint: `${world.upstream.url}/${name}`, method: 'GET' },
    credits_per_call: creditsPerCall,
  }
}

/** sg_echo at 0.5 and sg_hold at 1 credit. */
export async function syncSkills(world: World): Promise<void> {
  for (const skill of [skillOf(world, 'echo', 0.5), skillOf(world, 'hold', 1)]) {
    await syncSkill(world, skill)
  }
}

/** sg_locked at 1 credit: it needs the secret API_KEY. */
export function lockedSkill(world: World): object {
  return {
    id: 'sg_locked',
    source: 'official',
    meta: {
      name: 'locked',
      description: 'Wants a key.',
      parameters: { type: 'object', properties: {} },
    },
    config: {
      endpoint: `${world.upstream.url}/echo`,
      method: 'GET',
      auth: { type: 'bearer', secret: 'API_KEY' },
    },
    credits_per_call: 1,
  }
}

export async function syncSkill(world: World, skill: object): Promise<void> {
  const synced = await askAdmin(world, 'POST', 'sync_skill', { body: skill })
  if (synced.status !== 201) throw new Error(`${JSON.stringify(synced)}\n${world.admin.log()}`)
}

/** For all skills of the user. */
export async function setSecret(
  world: World,
  user: User,
  secret: { readonly name: string; readonly value: string },
): Promise<void> {
  const { name, value } = secret
  const set = await askAdmin(world, 'PUT', `users/${user.uid}/secrets/${name}`, { body: { value } })
  if (set.status !== 200) throw new Error(`${JSON.stringify(set)}\n${world.admin.log()}`)
}

/** Once every environment of execute and messages has finished, so that nothing is left to settle. */
export async function creditsAfterwards(world: World, user: User): Promise<Credits> {
  await Promise.all([world.execute.whenIdle(), world.messages.whenIdle()])
  return creditsNow(world, user)
}

/**
 * Resolves when the user has exactly this balance; work in the background may still have to change
 * it.
 */
export async function creditsBecome(world: World, user: User, wanted: Credits): Promise<void> {
  const lastMs = Date.now() + CHANGE_MS_MAX
  let credits = await creditsNow(world, user)
  while (credits.credits !== wanted.credits || credits.creditsOnHold !== wanted.creditsOnHold) {
    if (Date.now() > lastMs) throw new Error(`${user.uid} still has ${JSON.stringify(credits)}`)
    await delay(100)
    credits = await creditsNow(world, user)
  }
}

async function creditsNow(world: World, user: User): Promise<Credits> {
  const { body } = await askAdmin(world, 'GET', `users/${user.uid}`)
  return { credits: Number(body['credits']), creditsOnHold: Number(body['creditsOnHold']) }
}
