/**
 * The store of a warm-up call: one user with a key and one skill, answered from memory in the form
 * of DynamoDB's responses. Writes are dropped.
 */
import type { Exchange } from '../../adapters/aws/exchange.ts'
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { writeRequestText } from '../../adapters/dynamodb/client/signed/wire-message.ts'

type Wire = { readonly [member: string]: unknown }

/** Returns an exchange that answers reads from `items`. */
export function createWarmUpExchange(items: readonly Item[]): Exchange {
  const stored = new Map(items.map((item) => [toId(toWire(item)), toWire(item)]))
  return {
    send: async ({ body, headers }) => {
      const operation = String(headers['x-amz-target']).split('.').at(-1)
      const answer = answerRequest(operation, JSON.parse(String(body)), stored)
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) }
    },
    close: () => {},
  }
}

function toWire(item: Item): Wire {
  return JSON.parse(writeRequestText({ Item: item })).Item
}

/** Returns both parts of a record's key, which are texts, as one text. */
function toId({ pk, sk }: Wire): string {
  return JSON.stringify([pk, sk])
}

type Request = {
  readonly Key: Wire
  readonly RequestItems: { readonly [table: string]: { readonly Keys: readonly Wire[] } }
}

function answerRequest(
  operation: string | undefined,
  { Key, RequestItems }: Request,
  stored: ReadonlyMap<string, Wire>,
): Wire {
  switch (operation) {
    case 'GetItem':
      return { Item: stored.get(toId(Key)) }
    case 'BatchGetItem': {
      const found = Object.entries(RequestItems).map(([table, { Keys }]) => [
        table,
        Keys.flatMap((key) => stored.get(toId(key)) ?? []),
      ])
      return { Responses: Object.fromEntries(found), UnprocessedKeys: {} }
    }
    case 'Query':
      return { Items: [], Count: 0 }
    case 'UpdateItem':
      // The call is the first of its minute; a profile stays unchanged.
      return { Attributes: { ...(stored.get(toId(Key)) ?? Key), calls: { N: '1' } } }
    default:
      return {}
  }
}
