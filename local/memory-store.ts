/** The store ports over the memory adapters, kept in a file where one is named. */
import { memoryAnswers } from '../adapters/memory/answers.ts'
import { memoryBroadcast } from '../adapters/memory/broadcast.ts'
import { memoryCallRecords } from '../adapters/memory/call-records.ts'
import { type Cells, openCells } from '../adapters/memory/cells.ts'
import { memoryKeys } from '../adapters/memory/keys.ts'
import { memoryLeases } from '../adapters/memory/leases.ts'
import { memoryLedger } from '../adapters/memory/ledger.ts'
import { memoryMinutes } from '../adapters/memory/minutes.ts'
import { memoryProfiles } from '../adapters/memory/profiles.ts'
import { memoryReplies } from '../adapters/memory/replies.ts'
import { memorySessions } from '../adapters/memory/sessions.ts'
import { memorySkills } from '../adapters/memory/skills.ts'
import { memorySweepMarks } from '../adapters/memory/sweep-marks.ts'
import { memoryToolsCache } from '../adapters/memory/tools-cache.ts'
import { Fault } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { StartFault } from './start-fault.ts'
import type { OpenStore, StorePorts } from './store-ports.ts'

export function openMemoryStore(options: {
  /** Undefined: in memory only. */
  readonly file: string | undefined
  readonly note: string | undefined
  readonly clock: Clock
}): OpenStore {
  const { clock, file, note } = options
  const cells = open(file)
  const ports: StorePorts = {
    answers: memoryAnswers(cells, clock),
    broadcast: memoryBroadcast(cells),
    callRecords: memoryCallRecords(cells),
    keys: memoryKeys(cells),
    leases: memoryLeases(cells, clock),
    ledger: memoryLedger(cells),
    minutes: memoryMinutes(cells, clock),
    profiles: memoryProfiles(cells),
    replies: memoryReplies(cells, clock),
    sessions: memorySessions(cells, clock),
    skills: memorySkills(cells),
    sweepMarks: memorySweepMarks(cells),
    toolsCache: memoryToolsCache(cells),
  }
  return { ports, note, stop: async () => cells.close() }
}

function open(file: string | undefined): Cells {
  try {
    return openCells(file === undefined ? {} : { file })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new StartFault(
      `${cause.message}. Begin another folder with --data FOLDER, or delete this file and what it holds.`,
      cause,
    )
  }
}
