/** What a schedule of the ledger runs on. */
import type { MicroCredits, Outcome, Profile } from '../../../core/ledger/ledger.ts'
import type { StorePorts as AllPorts } from '../../../core/ports/ports.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Limits } from './user.ts'

export type LedgerStore = {
  /** As an auditor reads them. */
  profile(): Profile | undefined
  outcomes(): readonly Outcome[]
  granted(): readonly MicroCredits[]
  /** Tells whether the list of debts has the user. */
  isListedDebtor(): boolean
  /** The ports of one process. */
  ports(of: RequestHost, process: Sender): AllPorts
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

export type OpenLedgerStore = (startMicro: number, limits: Limits) => LedgerStore
