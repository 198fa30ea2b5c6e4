/** Requests to the model in their wire form, as far as the adapters use it. */

export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly Value[] }
  | { readonly M: WireItem }

/** Bytes are base64, numbers are text. */
export type WireItem = { readonly [name: string]: Value }

/** Names and values of one expression. */
type Bindings = {
  readonly ExpressionAttributeNames?: { readonly [name: string]: string }
  readonly ExpressionAttributeValues?: WireItem
}

/** One request: its operation, and its body as it was parsed from JSON. */
export type WireRequest = { readonly operation: string; readonly body: Body }

export type Conditional = Bindings & {
  readonly TableName: string
  readonly ConditionExpression?: string
  readonly ReturnValuesOnConditionCheckFailure?: string
  readonly ReturnValues?: string
}
export type PutBody = Conditional & { readonly Item: WireItem }
export type UpdateBody = Conditional & { readonly Key: WireItem; readonly UpdateExpression: string }
export type DeleteBody = Conditional & { readonly Key: WireItem }

export type GetBody = {
  readonly TableName: string
  readonly Key: WireItem
  readonly ConsistentRead?: boolean
}

export type PageBody = Bindings & {
  readonly TableName: string
  readonly ConsistentRead?: boolean
  readonly KeyConditionExpression?: string
  readonly FilterExpression?: string
  readonly ProjectionExpression?: string
  readonly ScanIndexForward?: boolean
  readonly Limit?: number
  readonly ExclusiveStartKey?: WireItem
}

export type BatchBody = {
  readonly RequestItems: {
    readonly [table: string]: {
      readonly Keys: readonly WireItem[]
      readonly ConsistentRead?: boolean
    }
  }
}

export type TransactPart = {
  readonly Put?: PutBody
  readonly Update?: UpdateBody
  readonly Delete?: DeleteBody
  readonly Get?: GetBody
}
export type TransactBody = {
  readonly TransactItems: readonly TransactPart[]
  readonly ClientRequestToken?: string
}

/** Every operation's fields; each operation reads its own. */
export type Body = PutBody & UpdateBody & GetBody & PageBody & BatchBody & TransactBody
