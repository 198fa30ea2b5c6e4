/** Runs each flow at two sizes, and says how the load of partition keys grows with the actors. */
import { LIST_VERSION_COPIES } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import type { Sampler } from './flows.ts'
import type { KeyUnits } from './key-units.ts'
import { type FlowName, type Growths, growthOf } from './keys.ts'

/**
 * Actors of the two samples. A list of leases must pass DynamoDB's unit of 4 kB to show its growth; environments
 * read each copy of the tool list version equally often, and sweep entries are spread over the shards.
 */
export const SIZES: { readonly [flow in FlowName]: readonly [few: number, many: number] } = {
  calls: [8, 16],
  environments: [LIST_VERSION_COPIES, 2 * LIST_VERSION_COPIES],
  hotUser: [60, 120],
  listens: [LIST_VERSION_COPIES, 2 * LIST_VERSION_COPIES],
  sse: [LIST_VERSION_COPIES, 2 * LIST_VERSION_COPIES],
  opening: [480, 960],
  leaseList: [1_920, 3_840],
  sweep: [16, 32],
}
/** Calls in flight of the user with many: those that wait 300 ms at 100 calls a second; 32 is the most. */
export const HOT_IN_FLIGHT = 30

export async function sampleGrowths(sampler: Sampler): Promise<Growths> {
  const grow = async (flow: FlowName) => {
    const [few, many] = SIZES[flow]
    return growthOf(
      { actors: few, keys: await runFlow(sampler, flow, few) },
      { actors: many, keys: await runFlow(sampler, flow, many) },
    )
  }
  return {
    sweep: await grow('sweep'),
    calls: await grow('calls'),
    environments: await grow('environments'),
    hotUser: await grow('hotUser'),
    listens: await grow('listens'),
    sse: await grow('sse'),
    opening: await grow('opening'),
    leaseList: await grow('leaseList'),
  }
}

export function runFlow(sampler: Sampler, flow: FlowName, actors: number): Promise<KeyUnits> {
  return flow === 'hotUser' ? sampler.hotUser(actors, HOT_IN_FLIGHT) : sampler[flow](actors)
}
