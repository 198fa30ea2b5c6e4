/** The part of an answer that reports used units, counted only if the request asks for them. */

type Consumed = { readonly ConsumedCapacity?: { TableName: string; CapacityUnits: number } }

export function consumed(
  { ReturnConsumedCapacity: asked }: { readonly ReturnConsumedCapacity?: string | undefined },
  TableName: string,
  units: () => number,
): Consumed {
  if (asked === undefined || asked === 'NONE') return {}
  return { ConsumedCapacity: { TableName, CapacityUnits: units() } }
}
