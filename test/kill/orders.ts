/** The test's orders to a crashing twin: types only, shared by both sides of the pipe. */
import type { Hold, MicroCredits, Outcome } from '../../core/ledger/ledger.ts'
import type { Fuse } from './crash-points.ts'

/** Its only argument, as JSON. */
export type Setup = {
  readonly folder: string
  /** host:port that skills may reach. */
  readonly upstream: string
  /** How far the twin's clock is ahead of the machine's. */
  readonly aheadMs: number
}

export type Order =
  | ({ readonly kind: 'arm' } & Fuse)
  | { readonly kind: 'sweep' }
  | { readonly kind: 'books'; readonly uid: string }

export type Books = {
  readonly credits: MicroCredits
  readonly holds: readonly Hold[]
  readonly outcomes: readonly Outcome[]
}
