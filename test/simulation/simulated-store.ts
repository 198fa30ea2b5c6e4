/** What a simulation runs on: the memory adapters, which wrong protocols can reach into, or SQLite. */

import { type Database as Memory, ONLY, openDatabase } from '../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../adapters/memory/store-ports.ts'
import { profileReader } from '../../adapters/sqlite/accounts/read-profile.ts'
import type { Database } from '../../adapters/sqlite/database/database.ts'
import { outcomeFrom } from '../../adapters/sqlite/ledger/outcome-rows.ts'
import { sqliteStorePorts } from '../../adapters/sqlite/store-ports.ts'
import { sleepingClock } from '../../bench/lib/sleeping-clock.ts'
import type { MicroCredits, Outcome, Profile } from '../../core/ledger/ledger.ts'
import type { Clock, StorePorts } from '../../core/ports.ts'
import { leavingLedger } from './leaving-ledger.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { firstKey, firstProfile, firstSkill, type Limits, SWEPT_MINUTE, UID } from './user.ts'

export type SimulatedStore = {
  /** Each method is one atomic step that is done when it returns. */
  ports(clock: Clock): StorePorts
  /** As an auditor reads them. */
  profile(): Profile | undefined
  outcomes(): readonly Outcome[]
  granted(): readonly MicroCredits[]
  /** Set where holds of charged calls are left behind. */
  readonly leaves?: boolean
  /** Undefined: no protocol can be made wrong on it. */
  readonly memory: Memory | undefined
  /** Set where the scheduler orders single requests below the ports, which are then not steps. */
  readonly requests?: (of: RequestHost, process: Sender) => StorePorts
}

/** The parts of a world that single requests pass through. */
export type RequestHost = {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly happened: Set<string>
  faults(): {
    readonly throttled: number
    readonly answerLost: number
    readonly late: number
    readonly stale: number
  }
  onStep(): void
}

/** A process as its requests see it. */
export type Sender = { readonly name: string; alive: boolean; readonly offsetMs: number }

export type OpenSimulated = (startMicro: number, limits: Limits) => SimulatedStore

export function simulatedMemory(startMicro: number, limits: Limits): SimulatedStore {
  const memory = openDatabase()
  memory.profiles.put(UID, ONLY, firstProfile(startMicro, limits))
  memory.keys.put(firstKey.keyHash, ONLY, firstKey)
  memory.sharedSkills.put('official', firstSkill.skillId, firstSkill)
  memory.sweepCursor.put(ONLY, ONLY, { minute: SWEPT_MINUTE, after: '' })
  return {
    ports: (clock) => memoryStorePorts(memory, clock),
    profile: () => memory.profiles.get(UID, ONLY),
    outcomes: () => memory.outcomes.list(UID),
    granted: () => memory.grants.list(UID).map(({ amount }) => amount),
    memory,
  }
}

/** As DynamoDB's adapters do, with each of their methods as one step. */
export function simulatedLeaving(startMicro: number, limits: Limits): SimulatedStore {
  const store = simulatedMemory(startMicro, limits)
  const { memory } = store
  if (memory === undefined) throw new Error('no memory')
  const ports: SimulatedStore['ports'] = (clock) => {
    const all = store.ports(clock)
    return { ...all, ledger: leavingLedger(all.ledger, memory) }
  }
  return { ...store, ports, leaves: true }
}

/** One database for all schedules, emptied before each: to open one takes longer than a schedule. */
export function simulatedSqlite(database: Database): OpenSimulated {
  const current: { clock: Clock | undefined } = { clock: undefined }
  const clock = clockOf(current)
  const ports = sqliteStorePorts(database, clock, () => {})
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => database.prepare(`DELETE FROM ${name}`))
  const readProfile = profileReader(database)
  const outcomes = database.prepare('SELECT * FROM outcomes WHERE uid = ?')
  const granted = database.prepare('SELECT amount FROM grants WHERE uid = ?')
  return (startMicro, limits) => {
    for (const table of tables) table.run()
    void ports.profiles.create(firstProfile(startMicro, limits))
    void ports.keys.put(firstKey)
    void ports.skills.put(firstSkill, 0)
    void ports.sweepEntries.writeCursor({ minute: SWEPT_MINUTE, after: '' })
    return {
      ports: (own) =>
        onClock(ports, () => {
          current.clock = own
        }),
      profile: () => readProfile(UID)?.profile,
      outcomes: () => outcomes.all(UID).map(outcomeFrom),
      granted: () => granted.all(UID).map(({ amount }) => Number(amount)),
      memory: undefined,
    }
  }
}

function clockOf(current: { readonly clock: Clock | undefined }): Clock {
  const now = () => {
    if (current.clock === undefined) throw new Error('no process is at work')
    return current.clock
  }
  return sleepingClock({
    nowMs: () => now().nowMs(),
    sleep: (ms, signal) => now().sleep(ms, signal),
  })
}

/** The same ports, each call under the clock of the process that makes it. */
function onClock(ports: StorePorts, setClock: () => void): StorePorts {
  const port = (name: keyof StorePorts) =>
    new Proxy(ports[name], {
      get: (target, method) => {
        setClock()
        return Reflect.get(target, method)
      },
    })
  const names = Object.keys(ports) as (keyof StorePorts)[]
  return Object.fromEntries(names.map((name) => [name, port(name)])) as StorePorts
}
