/** The store ports as one bundle: what a choice of store decides, and nothing else. */
import type { Ports } from '../core/ports.ts'

export type StorePorts = Pick<
  Ports,
  | 'answers'
  | 'broadcast'
  | 'callRecords'
  | 'keys'
  | 'leases'
  | 'ledger'
  | 'minutes'
  | 'profiles'
  | 'replies'
  | 'sessions'
  | 'skills'
  | 'sweepMarks'
  | 'toolsCache'
>

export type OpenStore = {
  readonly ports: StorePorts
  /** For the person at the laptop, where the store is not the one they would expect. */
  readonly note: string | undefined
  stop(): Promise<void>
}
