/**
 * The partition keys that a DynamoDB request names in wire form, by IAM action and table. An
 * unknown command is returned under its own name, which no adapter declares, so a test fails on it.
 */

export type RequestKeys = {
  /** The deployed name. */
  readonly table: string
  readonly action: string
  readonly keys: readonly string[]
  /** Every attribute that an update names, keys included. */
  readonly attributes?: readonly string[]
}

/** The IAM action that each part of TransactWriteItems needs. */
const PARTS: { readonly [part: string]: string } = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
}

export function requestKeys(commandName: string, input: unknown): readonly RequestKeys[] {
  const action = commandName.replace(/Command$/, '')
  const table = textAt(input, 'TableName')
  switch (action) {
    case 'UpdateItem': {
      const names = Object.values(at(input, 'ExpressionAttributeNames') ?? {}).map(String)
      const attributes = [...new Set(['pk', 'sk', ...names])].sort()
      return [{ table, action, keys: [keyIn(at(input, 'Key'))], attributes }]
    }
    case 'GetItem':
    case 'DeleteItem':
      return [{ table, action, keys: [keyIn(at(input, 'Key'))] }]
    case 'PutItem':
      return [{ table, action, keys: [keyIn(at(input, 'Item'))] }]
    case 'Query':
      return [{ table, action, keys: [queriedKey(input)] }]
    case 'BatchGetItem':
      return Object.entries(at(input, 'RequestItems') ?? {}).map(([name, wanted]) => ({
        table: name,
        action,
        keys: listAt(wanted, 'Keys').map(keyIn),
      }))
    case 'Scan': {
      const names = Object.values(at(input, 'ExpressionAttributeNames') ?? {}).map(String)
      return [{ table, action, keys: [], attributes: [...new Set(names)].sort() }]
    }
    case 'TransactGetItems':
      return together(
        listAt(input, 'TransactItems').map((item) => {
          const read = at(item, 'Get')
          const keys = [keyIn(at(read, 'Key'))]
          return { table: textAt(read, 'TableName'), action: 'GetItem', keys }
        }),
      )
    case 'TransactWriteItems':
      return together(listAt(input, 'TransactItems').flatMap(partOf))
    default:
      return [{ table, action, keys: ['?'] }]
  }
}

function partOf(item: unknown): readonly RequestKeys[] {
  return Object.entries(PARTS).flatMap(([part, action]) => {
    const write = at(item, part)
    if (write === undefined) return []
    const key = keyIn(at(write, part === 'Put' ? 'Item' : 'Key'))
    return [{ table: textAt(write, 'TableName'), action, keys: [key] }]
  })
}

/** Treats parts of one table and action as one request, which is the stricter reading of IAM. */
function together(parts: readonly RequestKeys[]): readonly RequestKeys[] {
  const groups = Object.groupBy(parts, ({ table, action }) => `${table} ${action}`)
  return Object.values(groups).flatMap((group = []) => {
    const [first] = group
    return first === undefined ? [] : [{ ...first, keys: group.flatMap(({ keys }) => keys) }]
  })
}

/**
 * Every query of this store begins `#pk = :pk`; another one has no key here, and so fails a test.
 */
function queriedKey(input: unknown): string {
  if (!/^#pk = :pk( AND |$)/.test(textAt(input, 'KeyConditionExpression'))) return '?'
  return textAt(at(at(input, 'ExpressionAttributeValues'), ':pk'), 'S')
}

function keyIn(item: unknown): string {
  return textAt(at(item, 'pk'), 'S')
}

function at(value: unknown, name: string): object | string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found: unknown = Reflect.get(value, name)
  return typeof found === 'object' || typeof found === 'string' ? (found ?? undefined) : undefined
}

function textAt(value: unknown, name: string): string {
  const text = at(value, name)
  return typeof text === 'string' ? text : '?'
}

function listAt(value: unknown, name: string): readonly unknown[] {
  const list = at(value, name)
  return Array.isArray(list) ? list : []
}
