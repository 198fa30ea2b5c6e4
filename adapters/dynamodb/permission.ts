/**
 * How an adapter declares what its methods may do. lib/grants.ts makes function policies from these
 * declarations, and the contract suites (test/contracts) compare them with the requests that were
 * sent. This file holds types only.
 */

/** A transaction needs the actions of its parts, as in IAM. */
export type PermittedAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'

/** Allows each of the actions on each of the key prefixes. */
export type Permission = {
  readonly table: 'gateway' | 'sessions'
  readonly actions: readonly PermittedAction[]
  /** A `…_PK` of table.ts: the beginning of a partition key, or a whole one. */
  readonly keyPrefixes: readonly string[]
  /**
   * All attributes that an update names, with the keys; undefined allows any. Set if a write to
   * another attribute would be a forgery.
   */
  readonly attributes?: readonly string[]
}

/** One list for each method of a port. */
export type Permissions<Port> = { readonly [method in keyof Port]: readonly Permission[] }
