/**
 * `npm run bench:usage -- 60`: 200 calls a second through the twin for so many seconds, while its feed
 * takes them into pages and sums. Prints how long the sums were behind, and fails when they disagree
 * with the ledger or were late. `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { HOUR_MS, hourOf } from '../../core/usage/slots.ts'
import { startFreshTwin } from '../../test/e2e/fresh-twin.ts'
import type { Twin } from '../../test/e2e/twin.ts'
import { printMachine, printTable } from '../lib/figures.ts'
import { inShort, judge, WORDS } from '../lib/short.ts'

const CALLS_PER_SEC = 200
const TICK_MS = 50
const LAG_MS_MAX = 5_000
// Without a time the sums are of today, and a run may pass midnight.
const SINCE_MS = hourOf(Date.now()) * HOUR_MS
const SKILL = 'sg_weather'
const seconds = Number(WORDS[0] ?? inShort(60, 2))

type Sums = { readonly calls: number; readonly charged: number }

async function ask(twin: Twin, method: string, path: string, body?: Json): Promise<JsonObject> {
  const response = await fetch(`${twin.admin}${path}`, {
    method,
    headers: { 'x-admin-key': twin.adminKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const json: Json = JSON.parse(await response.text())
  if (!response.ok || !isJsonObject(json)) throw new Error(`${path}: ${JSON.stringify(json)}`)
  return json
}

async function sums(twin: Twin): Promise<Sums> {
  const { entries } = await ask(twin, 'GET', `/usage?by=user&since=${SINCE_MS}`)
  const [entry] = Array.isArray(entries) ? entries.filter(isJsonObject) : []
  return { calls: Number(entry?.['calls'] ?? 0), charged: Number(entry?.['charged'] ?? 0) }
}

async function call(twin: Twin): Promise<boolean> {
  const response = await fetch(twin.execute, {
    method: 'POST',
    headers: { authorization: `Bearer ${twin.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ skill: SKILL, arguments: { city: 'Oslo' } }),
  })
  await response.arrayBuffer()
  return response.ok
}

async function load(twin: Twin): Promise<{ readonly sent: number; readonly failed: number }> {
  const calls: Promise<boolean>[] = []
  const startedMs = performance.now()
  while (performance.now() - startedMs < seconds * 1_000) {
    const due = ((performance.now() - startedMs) * CALLS_PER_SEC) / 1_000
    while (calls.length < due) calls.push(call(twin))
    await pause(TICK_MS)
  }
  const answered = await Promise.all(calls)
  return { sent: calls.length, failed: answered.filter((ok) => !ok).length }
}

/** Time from the last answer until the sums have so many calls. */
async function lagMs(twin: Twin, calls: number): Promise<number> {
  const startedMs = performance.now()
  while ((await sums(twin)).calls < calls) {
    if (performance.now() - startedMs > 10 * LAG_MS_MAX) break
    await pause(100)
  }
  return performance.now() - startedMs
}

const twin = await startFreshTwin(['--calls-per-minute', '100000'])
try {
  printMachine(`npm run bench:usage -- ${seconds}`)
  await ask(twin, 'POST', '/users/demo/credits', { grantId: 'bench', amount: 1_000_000 })
  const { credits: before } = await ask(twin, 'GET', '/users/demo')
  const { failed, sent } = await load(twin)
  const lag = await lagMs(twin, sent - failed)
  const { calls, charged } = await sums(twin)
  const { credits } = await ask(twin, 'GET', '/users/demo')
  const spent = Number(before) - Number(credits)
  printTable(
    [`${seconds} s`, 'calls', 'credits'],
    [
      [`sent, of which ${failed} failed`, sent, ''],
      ['in the sums', calls, charged],
      ['in the ledger', '', spent],
    ],
  )
  console.log(`The last call was in the sums ${lag.toFixed(0)} ms after the last answer.`)
  if (calls !== sent - failed || charged !== spent) throw new Error('the sums are not the ledger’s')
  judge(lag <= LAG_MS_MAX)
} finally {
  await twin.stop()
}
