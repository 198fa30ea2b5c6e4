/** The part of an answer that says what a request used, counted only where the request asks for it. */

type Consumed = { readonly ConsumedCapacity?: { TableName: string; CapacityUnits: number } }

export function consumed(
  { ReturnConsumedCapacity: asked }: { readonly ReturnConsumedCapacity?: string | undefined },
  TableName: string,
  units: () => number,
): Consumed {
  if (asked === undefined || asked === 'NONE') return {}
  return { ConsumedCapacity: { TableName, CapacityUnits: units() } }
}
