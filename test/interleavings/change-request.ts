/** Ways to make a request wrong: plants are made of these. */
import type { Body, TransactPart, WireRequest } from './model/requests.ts'
import { keysOf } from './request-label.ts'

type Change = (request: WireRequest) => WireRequest
type Matcher = (request: WireRequest) => boolean

/** Requests of one operation that name a key with this beginning. */
export function about(operation: string, place: string): Matcher {
  return (request) =>
    request.operation === operation && keysOf(request).some((key) => key.startsWith(place))
}

/** Drops a text out of the conditions, or all of a condition. */
export function withoutCondition(matches: Matcher, text?: string): Change {
  return where(matches, (body) => mapParts(body, (part) => cut(part, text)))
}

/** Puts another text in the place of one in the conditions. */
export function replacing(matches: Matcher, text: string, other: string): Change {
  return where(matches, (body) =>
    mapParts(body, (part) => {
      const { ConditionExpression } = part
      if (ConditionExpression === undefined) return part
      return { ...part, ConditionExpression: ConditionExpression.replace(text, other) }
    }),
  )
}

/** Drops the condition of those parts of a transaction that name a key with this beginning. */
export function withoutPartCondition(place: string): Change {
  const matches = about('TransactWriteItems', place)
  return where(matches, (body) =>
    mapParts(body, (part) => (JSON.stringify(part).includes(`"S":"${place}`) ? cut(part) : part)),
  )
}

export function eventual(matches: Matcher): Change {
  return where(matches, ({ ConsistentRead: _consistent, ...body }) => {
    const { RequestItems } = body
    if (RequestItems === undefined) return body as Body
    const tables = Object.entries(RequestItems).map(([table, { Keys }]) => [table, { Keys }])
    return { ...body, RequestItems: Object.fromEntries(tables) } as Body
  })
}

/** Drops the puts of a transaction. */
export function withoutPuts(matches: Matcher): Change {
  return where(matches, ({ TransactItems = [], ...body }) => {
    const left = TransactItems.filter((part) => !('Put' in part))
    return { ...body, TransactItems: left } as Body
  })
}

export function withoutToken(place: string): Change {
  return where(
    about('TransactWriteItems', place),
    ({ ClientRequestToken: _token, ...body }) => body as Body,
  )
}

/** Writes another partition than the one that was meant. */
export function elsewhere(matches: Matcher, pk: string): Change {
  return where(matches, (body) => ({ ...body, Key: { ...body.Key, pk: { S: pk } } }) as Body)
}

export function inTurn(first: Change, second: Change): Change {
  return (request) => second(first(request))
}

function where(matches: Matcher, change: (body: Body) => Body): Change {
  return (request) => (matches(request) ? { ...request, body: change(request.body) } : request)
}

type Part = { readonly ConditionExpression?: string }

/** The body itself, or each write of a transaction. */
function mapParts(body: Body, change: (part: Part) => Part): Body {
  if (body.TransactItems === undefined) return change(body) as Body
  const TransactItems = body.TransactItems.map((part) => {
    const changed = Object.entries(part).map(([kind, one]) => [kind, change(one as Part)])
    return Object.fromEntries(changed) as TransactPart
  })
  return { ...body, TransactItems }
}

function cut({ ConditionExpression, ...part }: Part, text?: string): Part {
  if (ConditionExpression === undefined || text === undefined) return part
  const left = ConditionExpression.replace(text, '')
  return left === '' ? part : { ...part, ConditionExpression: left }
}

/** A name or value that is left over would be refused, and no plant be found for its own sake. */
export function withUsedBindings(request: WireRequest): WireRequest {
  return { ...request, body: mapParts(request.body, tidied) }
}

const EXPRESSIONS = [
  'ConditionExpression',
  'FilterExpression',
  'KeyConditionExpression',
  'ProjectionExpression',
  'UpdateExpression',
] as const

function tidied(part: Partial<Body>): Partial<Body> {
  const used = new Set(
    EXPRESSIONS.flatMap((name) => part[name as keyof Body]?.toString().match(/[#:]\w+/g) ?? []),
  )
  const keep = <T>(map: { readonly [name: string]: T } | undefined) =>
    Object.fromEntries(Object.entries(map ?? {}).filter(([name]) => used.has(name)))
  const { ExpressionAttributeNames, ExpressionAttributeValues, ...rest } = part
  return {
    ...rest,
    ...(ExpressionAttributeNames === undefined
      ? {}
      : { ExpressionAttributeNames: keep(ExpressionAttributeNames) }),
    ...(ExpressionAttributeValues === undefined
      ? {}
      : { ExpressionAttributeValues: keep(ExpressionAttributeValues) }),
  }
}
