/**
 * `npm run bench:schema`: how long one check of a value holds the event loop at worst, for each keyword of
 * JSON Schema: hostile schemas that sync accepts, against bodies of 1 MiB. Exits 1 past 50 ms.
 * Counts the thread's own processor time, so that other work on the machine does not; the least of several
 * runs, so that compiling does not. `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import { ms, printMachine, printTable } from '../lib/figures.ts'
import { inShort, judge } from '../lib/short.ts'
import { type Body, hostileBodies } from './hostile-bodies.ts'
import { type Case, hostileSchemas } from './hostile-schemas.ts'

const HELD_MS_MAX = 50
const RUNS = inShort(3, 1)
/** A check that is shorter in its first run is not repeated. */
const SHORT_MS = 10

type Worst = { readonly heldMs: number; readonly body: string; readonly outcome: string }

const { faults, schemaFaults } = schemas()
const bodies = hostileBodies()
const worst = new Map<string, Worst>()
let checks = 0
for (const { keyword, schema } of hostileSchemas().filter(isTaken)) {
  for (const body of bodies) {
    const found = measured(schema, body)
    checks += 1
    if (found.heldMs > (worst.get(keyword)?.heldMs ?? -1)) worst.set(keyword, found)
  }
}
const rows = [...worst].sort(([, one], [, two]) => two.heldMs - one.heldMs)
printMachine('npm run bench:schema')
printTable(
  ['keyword', 'loop held, ms', 'worst body', 'ends with'],
  rows.map(([keyword, { body, heldMs, outcome }]) => [keyword, ms(heldMs), body, outcome]),
)
const over = rows.filter(([, { heldMs }]) => heldMs > HELD_MS_MAX)
console.log(`${checks} checks; ${over.length} keywords over ${HELD_MS_MAX} ms`)
if (checks === 0) throw new Error('no schema was tried')
judge(over.length === 0)

/** A schema that sync refuses is never used to check a body. */
function isTaken({ schema }: Case): boolean {
  return schemaFaults(schema).length === 0
}

function measured(schema: JsonObject, { name, value }: Body): Worst {
  let least: Worst = once(schema, name, value)
  for (let run = 1; run < RUNS && least.heldMs > SHORT_MS; run += 1) {
    const next = once(schema, name, value)
    if (next.heldMs < least.heldMs) least = next
  }
  return least
}

function once(schema: JsonObject, body: string, value: Json): Worst {
  const before = process.threadCpuUsage()
  const [first] = faults(schema, value)
  const { system, user } = process.threadCpuUsage(before)
  return { heldMs: (system + user) / 1_000, body, outcome: first?.message.slice(0, 60) ?? 'fits' }
}
