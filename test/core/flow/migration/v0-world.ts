/** The test world over a store that the earlier service has written to, and may still write to. */
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import type { StoreRequests } from '../../../../adapters/dynamodb/client/store-requests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import type { V0Value } from '../../../../core/ledger/v0.ts'
import { number, type OldService, oldServiceOver, text } from '../../../contracts/v0-service.ts'
import { makeWorld, type World } from '../world.ts'

export type V0World = World & { readonly old: OldService; readonly items: StoreRequests }

/** A key that the earlier service issued to ada, as agents send it. */
export const OLD_KEY = `sgk_${'o'.repeat(43)}`
export const OLD_HASH = nodeDigests().sha256(OLD_KEY)
export const AUTHORIZATION = `Bearer ${OLD_KEY}`

export type V0Stored = {
  readonly credits?: V0Value
  readonly tier?: V0Value
  readonly key?: V0Value
}

/** Has ada with 12.5 credits, a tier and a key, unless other records are given. */
export async function v0World(kept: V0Stored = ALL): Promise<V0World> {
  const world = makeWorld()
  const { ports, requests: items } = openLocalStore({ clock: world.clock })
  Object.assign(world.ports, ports)
  const old = oldServiceOver(items, 'Gateway')
  if (kept.credits !== undefined) await old.put('credits', 'ada', kept.credits)
  if (kept.tier !== undefined) await old.put('tier', 'ada', kept.tier)
  if (kept.key !== undefined) await old.put('key', OLD_HASH, kept.key)
  return { ...world, old, items }
}

export const ALL: V0Stored = { credits: number('12.5'), tier: text('small'), key: text('ada') }
