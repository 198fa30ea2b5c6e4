/**
 * Starts the twin as `npm start` does, with the same flags of Node; its users and skills are
 * created through the admin API.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MeasuredProcess, startMeasuredProcess } from './measured-process.ts'

const TWIN = 'local/main.ts'
const CREDITS = 1_000_000
/** The options allow more calls a minute than any key makes here. */
const OPTIONS = ['--json', '--port', '0', '--calls-per-minute', '1000000']

export type BenchTwin = { readonly process: MeasuredProcess; readonly keys: readonly string[] }

/**
 * Starts the twin with the users `bench0`, `bench1` and so on, each with a key and credits, and
 * with `skills`, which are definitions.
 */
export async function startBenchTwin(
  args: readonly string[],
  { skills = [], users = 1 }: { readonly skills?: readonly object[]; readonly users?: number } = {},
): Promise<BenchTwin> {
  const process = await startMeasuredProcess(TWIN, [...OPTIONS, ...args], readNodeFlags())
  for (const skill of skills) await sendToAdmin(process, 'POST', 'sync_skill', skill)
  const keys: string[] = []
  for (let user = 0; user < users; user += 1) {
    const uid = `bench${user}`
    await sendToAdmin(process, 'POST', 'users', { username: uid, uid })
    await sendToAdmin(process, 'POST', `users/${uid}/credits`, {
      grantId: 'bench',
      amount: CREDITS,
    })
    keys.push((await sendToAdmin(process, 'POST', `users/${uid}/keys`, {}))['key'] ?? '')
  }
  return { process, keys }
}

/** Returns the flags between `node` and the file in the script `start`. */
export function readNodeFlags(): readonly string[] {
  const file = join(import.meta.dirname, '../../package.json')
  const [node, ...rest] = String(JSON.parse(readFileSync(file, 'utf8')).scripts.start).split(' ')
  if (node !== 'node' || rest.at(-1) !== TWIN) throw new Error('npm start starts something else')
  return rest.slice(0, -1)
}

/** Sends a request to the admin API. Throws an error with the answer if the request is refused. */
export async function sendToAdmin(
  { ready }: MeasuredProcess,
  method: 'PATCH' | 'POST',
  path: string,
  body: object,
): Promise<{ readonly [name: string]: string }> {
  const response = await fetch(`${ready['admin']}/${path}`, {
    method,
    headers: { 'x-admin-key': ready['adminKey'] ?? '', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`admin ${path}: ${text}`)
  return JSON.parse(text)
}
