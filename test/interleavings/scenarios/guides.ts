/**
 * Pushes and removals of one guide at once: of those that read the same record, one alone replaces
 * it, and no version is written twice.
 */
import type { GuideContent, GuideRecord } from '../../../core/guides/guide.ts'
import type { StorePorts } from '../../../core/ports/ports.ts'
import type { Scenario } from '../scenario.ts'
import { CONTEST_LATE, type Process, plan, quietly, report, type World } from '../world.ts'

const GUIDE_ID = 'orders'

/** Each writer has a name of its own, so a record is known by its `by`. */
type State = { readonly replaced: Set<string> }

export const guides: Scenario = {
  name: 'guides',
  async start(world) {
    const { random } = world
    world.chosen = { ...world.chosen, late: CONTEST_LATE }
    const state: State = { replaced: new Set() }
    for (let writers = 2 + random.below(4); writers > 0; writers -= 1) {
      const by = `writer-${writers}`
      plan(world, 'a guide is pushed', (process) => push(world, process, state, by))
      plan(world, 'a guide is removed', (process) => remove(world, process, state))
    }
    return () => quietly(world, (ports) => checkEnd(world, ports, state))
  },
}

async function push(world: World, { ports }: Process, state: State, by: string): Promise<void> {
  const seen = await ports.guides.get(GUIDE_ID)
  const { versions } = await ports.guides.versions({ guideId: GUIDE_ID, limit: 1 })
  const version = 1 + (versions[0]?.version ?? 0)
  if (!(await ports.guides.put(makeGuide(version, by), seen?.version ?? 0))) return
  if (seen !== undefined) noteReplaced(world, state, seen)
}

function makeGuide(version: number, by: string): GuideContent {
  const bytes = Buffer.from(by)
  const file = {
    path: 'SKILL.md',
    digest: 'f'.repeat(64),
    bytes: bytes.length,
    from: 0,
    mimeType: 'text/markdown',
    isText: true,
    hasPrices: false,
  }
  const record: GuideRecord = {
    guideId: GUIDE_ID,
    version,
    frontMatter: { name: GUIDE_ID, description: 'How orders work.' },
    groups: [],
    files: [file],
    createdAtMs: 0,
    updatedAtMs: 0,
    by,
  }
  return { record, bytes }
}

async function remove(world: World, { ports }: Process, state: State): Promise<void> {
  const seen = await ports.guides.get(GUIDE_ID)
  if (seen === undefined || !(await ports.guides.remove(GUIDE_ID, seen.version))) return
  noteReplaced(world, state, seen)
}

function noteReplaced(world: World, { replaced }: State, { by }: GuideRecord): void {
  if (replaced.has(by)) report(world, 'two writers replaced one guide')
  replaced.add(by)
}

async function checkEnd(world: World, ports: StorePorts, state: State): Promise<void> {
  const stored = await ports.guides.get(GUIDE_ID)
  if (stored === undefined) return
  if (state.replaced.has(stored.by)) report(world, 'a replaced guide is back')
  const { version } = stored
  const kept = await ports.guides.version({ guideId: GUIDE_ID, version })
  if (kept?.by !== stored.by) report(world, 'a version was written twice')
}
