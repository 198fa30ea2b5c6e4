/** Makes a skill that was just stored visible: to its owner, or in the shared tool list. */
import { ok, type Result } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { isRunnable } from '../../skills/definition/read-skill.ts'
import { isListedState } from '../../skills/definition/read-state.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { announceChange, relistSkill } from './change-tool-list.ts'
import { rebuildToolList } from './rebuild-tool-list.ts'

type Needs = Pick<
  Ports,
  'toolListVersion' | 'clock' | 'digests' | 'log' | 'profiles' | 'skills' | 'toolsCache'
>

export type StoreOutcome = {
  readonly record: SkillRecord
  readonly created: boolean
  readonly changed: boolean
  /** The version that this one replaced. */
  readonly before: SkillRecord | undefined
  /** The parts of the operating state that were kept, and those that the text changed. */
  readonly notes: readonly string[]
}

type Listing = {
  readonly stored: StoreOutcome
  readonly owner: Profile | undefined
  readonly when: 'now' | 'later'
}

/**
 * Returns `listed` or `hidden`, or `no-list` if there is no shared list and too many skills to make
 * one here. Refuses with `conflict` if other writers of the list win every try.
 */
export function listSyncedSkill(
  ports: Needs,
  settings: Settings,
  listing: Listing,
): Promise<Result<WhereListed>> {
  const { owner, when } = listing
  if (owner !== undefined) return listForOwner(ports, settings, listing, owner)
  return when === 'later' ? LATER : listShared(ports, settings, listing.stored)
}

type WhereListed = 'listed' | 'hidden' | 'no-list'
const LATER: Promise<Result<WhereListed>> = Promise.resolve(ok('hidden'))

/** A stored private skill is in its owner's list. The owner's open streams get a notice. */
async function listForOwner(
  ports: Needs,
  { prefix }: Settings,
  { stored: { changed, record } }: Listing,
  owner: Profile,
): Promise<Result<WhereListed>> {
  // An earlier sync may have died between its put and this notice.
  const isNoticeDue = owner.skillsChangedAtMs < record.updatedAtMs
  if (changed || isNoticeDue) await ports.profiles.noteSkillsChanged(owner.uid, ports.clock.nowMs())
  const read = readStoredSkill(record, prefix)
  const skill = read.ok ? read.value.skill : undefined
  const isListed = skill !== undefined && isRunnable(skill) && isListedState(skill.state)
  return ok(isListed ? 'listed' : 'hidden')
}

async function listShared(
  ports: Needs,
  settings: Settings,
  { changed, record }: StoreOutcome,
): Promise<Result<WhereListed>> {
  const relisting = { skillId: record.skillId, changed, sinceMs: record.updatedAtMs }
  const relisted = await relistSkill(ports, settings, relisting)
  if (!relisted.ok) return relisted
  if (!relisted.value.hasList) {
    const rebuilt = await rebuildToolList(ports, settings)
    if (!rebuilt.ok) return rebuilt
    if ('nextCursor' in rebuilt.value) {
      await announceChange(ports)
      return ok('no-list')
    }
  }
  return ok(relisted.value.source === record.source ? 'listed' : 'hidden')
}
