/**
 * How an adapter declares what its methods may do. Function policies are made of these declarations
 * (lib/grants.ts), and the contract suites compare them with the requests that were really sent
 * (test/contracts). Data only.
 */

/** A transaction counts as the actions of its parts, as in IAM. */
export type PermittedAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'

/** Allows each of the actions on each of the keys. */
export type Permission = {
  readonly table: 'gateway' | 'sessions'
  readonly actions: readonly PermittedAction[]
  /** `…_PK` of table.ts: the beginning of the partition key, or all of it. */
  readonly keyPrefixes: readonly string[]
  /**
   * All attributes that an update names, keys included; undefined: any. Set where a write to
   * another attribute would be a forgery.
   */
  readonly attributes?: readonly string[]
}

/** One list for each method of a port. */
export type Permissions<Port> = { readonly [method in keyof Port]: readonly Permission[] }
