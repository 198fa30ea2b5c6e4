/**
 * Several sweeps judge the same slots of calls, overtake each other and die: each failure of a tool for everybody
 * and each recovery has one event, the events of a tool alternate, and the last one agrees with the stored state.
 */
import { fromEventItem, fromToolStateItem } from '../../../adapters/dynamodb/records/event-item.ts'
import { toolStateKey } from '../../../adapters/dynamodb/table.ts'
import { JUDGE_AFTER_MS, noteFailingTools } from '../../../core/flow/events/note-failing-tools.ts'
import { type CallRow, toCallRow } from '../../../core/usage/call-row.ts'
import { FAILING_CALLS_MIN, type ToolState } from '../../../core/usage/failing-tools.ts'
import { SLOT_MS, toSlot } from '../../../core/usage/slots.ts'
import { refundedOf, settledOf } from '../../contracts/fresh.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  itemAt,
  itemsIn,
  type Process,
  plan,
  quietly,
  report,
  START_MS,
  type World,
} from '../world.ts'

/** The slots that are judged. The first one is judged when the schedule starts. */
const SLOTS = 4
const FIRST_SLOT = toSlot(START_MS - JUDGE_AFTER_MS) - 1
/** What one user finds out alone is no failure for everybody. */
const USERS = ['ada', 'bob']

const WEATHER = 'weather'
const MAPS = 'maps'
type Calls = 'failing' | 'working' | 'unused'

export const failingTools: Scenario = {
  name: 'failing tools',
  async start(world) {
    const { random } = world
    const drawn = () => random.pick<Calls>(['failing', 'working', 'unused'])
    const slots = Array.from({ length: SLOTS }, (_, at) => ({
      slot: FIRST_SLOT + at,
      calls: {
        [WEATHER]: at % 2 === 0 ? ('failing' as const) : ('working' as const),
        [MAPS]: drawn(),
      },
    }))
    await quietly(world, async ({ usagePages }) => {
      for (const { calls, slot } of slots) {
        const rows = Object.entries(calls).flatMap(([tool, state]) => makeRows(tool, slot, state))
        await usagePages.put({ slot, id: `page ${slot}`, rows })
      }
    })
    let newest = 0
    world.check = () => {
      const slot = stateNow(world)?.slot ?? 0
      if (slot < newest) report(world, `slot ${slot} is stored after slot ${newest}`)
      newest = slot
      checkEvents(world)
    }
    for (let sweeps = 2 + random.below(4); sweeps > 0; sweeps -= 1) {
      plan(world, 'sweeps', sweepAll)
    }
    for (let sweeps = random.below(3); sweeps > 0; sweeps -= 1) {
      plan(world, 'a sweep', (process) => sweep(process, random.below(SLOTS)))
    }
    return () =>
      quietly(world, async (_, process) => {
        await sweep(process, SLOTS - 1)
        checkEnd(world)
      })
  },
}

function makeRows(skillId: string, slot: number, calls: Calls): readonly CallRow[] {
  if (calls === 'unused') return []
  const makeOutcome = calls === 'failing' ? refundedOf : settledOf
  return Array.from({ length: FAILING_CALLS_MIN }, (_, at) => {
    const callId = `${skillId} ${slot} ${String(at).padStart(2, '0')}`
    const outcome = makeOutcome(USERS[at % USERS.length] ?? '', callId, 1)
    return toCallRow({ ...outcome, skillId, createdAtMs: slot * SLOT_MS + at })
  })
}

/** One process that sweeps in each slot. */
async function sweepAll(process: Process): Promise<void> {
  for (let at = 0; at < SLOTS; at += 1) await sweep(process, at)
}

/** As if the schedule had started some slots later. */
async function sweep(process: Process, slotsLater: number): Promise<void> {
  const ports = flowPorts(process)
  const nowMs = () => ports.clock.nowMs() + slotsLater * SLOT_MS
  await noteFailingTools({ ...ports, clock: { ...ports.clock, nowMs } })
}

function stateNow(world: World): ToolState | undefined {
  const item = itemAt(world, 'gateway', toolStateKey())
  return item === undefined ? undefined : fromToolStateItem(item)
}

/** The types of a tool's events in the order of the slots that they are about. */
function listTypes(world: World, tool: string): readonly string[] {
  return itemsIn(world, 'gateway', 'events:pending')
    .map(fromEventItem)
    .filter(({ data }) => data['skillId'] === tool)
    .sort((a, b) => (String(a.data['from']) < String(b.data['from']) ? -1 : 1))
    .map(({ type }) => type)
}

function checkEvents(world: World): void {
  const failing = stateNow(world)?.failing ?? {}
  for (const tool of [WEATHER, MAPS]) {
    const types = listTypes(world, tool)
    const wanted = types.map((_, at) => (at % 2 === 0 ? 'tool_failing' : 'tool_recovered'))
    if (types.join() !== wanted.join()) report(world, `${tool} is told of twice: ${types.join()}`)
    const isToldFailing = types.at(-1) === 'tool_failing'
    if (isToldFailing !== tool in failing) {
      report(world, `${tool} is stored as ${tool in failing ? '' : 'not '}failing: ${types.join()}`)
    }
  }
}

/** The weather works in the last slot, which somebody has judged by now. */
function checkEnd(world: World): void {
  checkEvents(world)
  const state = stateNow(world)
  if (state?.slot !== FIRST_SLOT + SLOTS - 1) report(world, `the last slot is ${state?.slot}`)
  if (state !== undefined && WEATHER in state.failing) {
    report(world, 'the weather works, and is stored as failing')
  }
}
