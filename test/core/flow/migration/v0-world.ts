/** The test world on a store that the earlier service has been at work on, and still may be. */
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { type Cells, openCells } from '../../../../adapters/memory/database.ts'
import { memoryStorePorts } from '../../../../adapters/memory/store-ports.ts'
import type { LegacyValue } from '../../../../core/ledger/v0.ts'
import { number, type OldService, oldServiceInMemory, text } from '../../../contracts/v0-service.ts'
import { makeWorld, type World } from '../world.ts'

export type LegacyWorld = World & { readonly old: OldService; readonly cells: Cells }

/** A key as the earlier service gave it to ada, and as agents send it. */
export const OLD_KEY = `sgk_${'o'.repeat(43)}`
export const OLD_HASH = nodeDigests().sha256(OLD_KEY)
export const AUTHORIZATION = `Bearer ${OLD_KEY}`

export type Kept = {
  readonly credits?: LegacyValue
  readonly tier?: LegacyValue
  readonly key?: LegacyValue
}

/** Ada with 12.5 credits, a tier and a key, unless told. */
export async function legacyWorld(kept: Kept = ALL): Promise<LegacyWorld> {
  const world = makeWorld()
  const cells = openCells()
  Object.assign(world.ports, memoryStorePorts(cells, world.clock))
  const old = oldServiceInMemory(cells)
  if (kept.credits !== undefined) await old.put('credits', 'ada', kept.credits)
  if (kept.tier !== undefined) await old.put('tier', 'ada', kept.tier)
  if (kept.key !== undefined) await old.put('key', OLD_HASH, kept.key)
  return { ...world, old, cells }
}

export const ALL: Kept = { credits: number('12.5'), tier: text('small'), key: text('ada') }
