/**
 * How an adapter says what its methods touch. Function policies are made of it (lib/grants.ts), and
 * the contract suites compare it with the requests that really left (test/contracts). Only data.
 */

/** A transaction counts as the actions of its parts, as it does for IAM. */
export type PermittedAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'

/** Each of the actions on each of the keys. */
export type Permission = {
  readonly table: 'gateway' | 'sessions'
  readonly actions: readonly PermittedAction[]
  /** `…_PK` of table.ts: how the partition key begins, or the whole of it. */
  readonly keyPrefixes: readonly string[]
  /** All that an update names, keys included; undefined: any. Where a wrong one would be a forgery. */
  readonly attributes?: readonly string[]
}

/** Per method of a port. */
export type Permissions<Port> = { readonly [method in keyof Port]: readonly Permission[] }
