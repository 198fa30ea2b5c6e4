/** A request in a line of the trace: its operation and the keys that it names. */
import type { TransactPart, WireItem, WireRequest } from './model/requests.ts'

export function requestLabel(request: WireRequest): string {
  return `${request.operation} ${keysOf(request).join(' + ')}`
}

/** Partition and sort key of each item, joined by a slash; a query has its partition alone. */
export function keysOf({ body, operation }: WireRequest): readonly string[] {
  switch (operation) {
    case 'PutItem':
      return [placeOf(body.Item)]
    case 'Query':
      return [textIn(body.ExpressionAttributeValues, ':pk')]
    case 'Scan':
      return ['table']
    case 'BatchGetItem':
      return Object.values(body.RequestItems).flatMap(({ Keys }) => Keys.map(placeOf))
    case 'TransactGetItems':
    case 'TransactWriteItems':
      return body.TransactItems.map(partPlace)
    default:
      return [placeOf(body.Key)]
  }
}

function partPlace({ Delete, Get, Put, Update }: TransactPart): string {
  return placeOf(Put?.Item ?? (Update ?? Delete ?? Get)?.Key)
}

function placeOf(item: WireItem | undefined): string {
  return `${textIn(item, 'pk')}/${textIn(item, 'sk')}`
}

function textIn(item: WireItem | undefined, name: string): string {
  const value = item?.[name]
  return value !== undefined && 'S' in value ? value.S : '?'
}
