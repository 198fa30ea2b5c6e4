/**
 * The store of a warm-up: one user with a key and one skill, told from memory in the form of DynamoDB's answers. It
 * forgets what is written.
 */
import type { Exchange } from '../../adapters/aws/exchange.ts'
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { requestText } from '../../adapters/dynamodb/client/signed/wire-message.ts'

type Wire = { readonly [member: string]: unknown }

export function warmUpExchange(items: readonly Item[]): Exchange {
  const stored = new Map(items.map((item) => [idOf(wireOf(item)), wireOf(item)]))
  return {
    send: async ({ body, headers }) => {
      const operation = String(headers['x-amz-target']).split('.').at(-1)
      const answer = answerTo(operation, JSON.parse(String(body)), stored)
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) }
    },
    close: () => {},
  }
}

function wireOf(item: Item): Wire {
  return JSON.parse(requestText({ Item: item })).Item
}

/** Both parts of a key are texts. */
function idOf({ pk, sk }: Wire): string {
  return JSON.stringify([pk, sk])
}

type Request = {
  readonly Key: Wire
  readonly RequestItems: { readonly [table: string]: { readonly Keys: readonly Wire[] } }
}

function answerTo(
  operation: string | undefined,
  { Key, RequestItems }: Request,
  stored: ReadonlyMap<string, Wire>,
): Wire {
  switch (operation) {
    case 'GetItem':
      return { Item: stored.get(idOf(Key)) }
    case 'BatchGetItem': {
      const found = Object.entries(RequestItems).map(([table, { Keys }]) => [
        table,
        Keys.flatMap((key) => stored.get(idOf(key)) ?? []),
      ])
      return { Responses: Object.fromEntries(found), UnprocessedKeys: {} }
    }
    case 'Query':
      return { Items: [], Count: 0 }
    case 'UpdateItem':
      // The count of a minute is the first; a profile stays as it is.
      return { Attributes: { ...(stored.get(idOf(Key)) ?? Key), calls: { N: '1' } } }
    default:
      return {}
  }
}
