/**
 * The twin as benches measure it: a process of its own, paid skills at the bench's upstream, users with
 * keys and credits, made through the admin API as an administrator would.
 */
import type { BenchSkill } from './bench-skills.ts'
import type { MeasuredProcess } from './measured-process.ts'
import { startTwin } from './start-twin.ts'
import type { Target } from './target.ts'

/** So that 64 connections stay below 32 holds a user, with room for those that are being settled. */
const USERS = 8
/** The most that the twin takes: more calls a minute than any key makes here. */
const CALLS_PER_MINUTE = 1_000_000
const CREDITS = 1_000_000

export type BenchTwin = {
  readonly process: MeasuredProcess
  /** Of POST /v1/execute. */
  readonly url: string
  /** One set for each user. */
  readonly headers: Target['headers']
}

export async function startBenchTwin(
  upstreamUrls: readonly string[],
  options: {
    readonly args: readonly string[]
    readonly skills: readonly BenchSkill[]
    readonly users?: number
  },
): Promise<BenchTwin> {
  const { args, skills, users = USERS } = options
  const allowed = upstreamUrls.map((url) => new URL(url).host).join(',')
  const minute = ['--calls-per-minute', String(CALLS_PER_MINUTE)]
  const own = ['--json', '--port', '0', '--outbound-allow', allowed, ...minute, ...args]
  const process = await startTwin(own)
  const admin = adminOf(process.ready)
  for (const { definition } of skills) await admin('POST', 'sync_skill', definition)
  const keys: string[] = []
  for (let user = 0; user < users; user += 1) keys.push(await newUser(admin, `bench${user}`))
  const headers = keys.map((key) => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  }))
  return { process, url: process.ready['execute'] ?? '', headers }
}

/** Answers the key. */
async function newUser(admin: Admin, username: string): Promise<string> {
  const { uid } = await admin('POST', 'users', { username })
  await admin('POST', `users/${uid}/credits`, { grantId: 'bench', amount: CREDITS })
  return (await admin('POST', `users/${uid}/keys`, {}))['key'] ?? ''
}

type Admin = (
  method: 'POST',
  path: string,
  body: object,
) => Promise<{ readonly [name: string]: string }>

function adminOf(ready: MeasuredProcess['ready']): Admin {
  return async (method, path, body) => {
    const response = await fetch(`${ready['admin']}/${path}`, {
      method,
      headers: { 'x-admin-key': ready['adminKey'] ?? '', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`admin ${path}: ${text}`)
    return JSON.parse(text)
  }
}
