/**
 * The twin as bench:execute measures it: a process of its own, one paid skill at the bench's
 * upstream, users with keys and credits, made through the admin API as an administrator would.
 */
import { type MeasuredProcess, startMeasured } from './measured-process.ts'
import type { Target } from './target.ts'

/** So that 64 connections stay below 32 holds a user, with room for those that are being settled. */
const USERS = 8
/** The most that the twin takes: more calls a minute than any key makes here. */
const CALLS_PER_MINUTE = 1_000_000
const CREDITS = 1_000_000

export async function startTwinTarget(
  name: string,
  upstreamUrl: string,
  options: { readonly args: readonly string[] },
): Promise<Target> {
  const { host } = new URL(upstreamUrl)
  const minute = ['--calls-per-minute', String(CALLS_PER_MINUTE)]
  const args = ['--json', '--port', '0', '--outbound-allow', host, ...minute, ...options.args]
  const process = await startMeasured('local/main.ts', args)
  const admin = adminOf(process.ready)
  await admin('sync_skill', skill(upstreamUrl))
  const keys: string[] = []
  for (let user = 0; user < USERS; user += 1) {
    const { uid } = await admin('users', { username: `bench${user}` })
    await admin(`users/${uid}/credits`, { grantId: 'bench', amount: CREDITS })
    keys.push((await admin(`users/${uid}/keys`, {}))['key'] ?? '')
  }
  return {
    name,
    process,
    url: process.ready['execute'] ?? '',
    headers: keys.map((key) => ({
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    })),
    body: '{"skill":"sg_bench_weather","arguments":{"city":"CITY"}}',
    wants: ['"isError":false', '"charged":0.001'],
  }
}

type Admin = (path: string, body: object) => Promise<{ readonly [name: string]: string }>

function adminOf(ready: MeasuredProcess['ready']): Admin {
  return async (path, body) => {
    const response = await fetch(`${ready['admin']}/${path}`, {
      method: 'POST',
      headers: { 'x-admin-key': ready['adminKey'] ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`admin ${path}: ${text}`)
    return JSON.parse(text)
  }
}

function skill(upstreamUrl: string): object {
  return {
    id: 'sg_bench_weather',
    source: 'official',
    meta: {
      name: 'Weather',
      description: 'Tells the weather in a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', minLength: 1, maxLength: 100 } },
        required: ['city'],
        additionalProperties: false,
      },
    },
    config: { endpoint: `${upstreamUrl}/weather`, method: 'GET' },
    credits_per_call: 0.001,
  }
}
