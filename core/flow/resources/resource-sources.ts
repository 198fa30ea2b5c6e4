/** The sources of resources and of prompts, in the order of their lists. */
import type { KeptResults } from '../../ports/kept-results.ts'
import { type GuideNeeds, openGuidePrompts, openGuideSource } from './guide-source.ts'
import { openKeptResultSource } from './kept-result-source.ts'
import type { ListSource, PromptSource, ReadSource } from './resource-source.ts'

/** What a door can read besides guides. */
export type FurtherSources = {
  /** Absent at a door whose function reads no results. */
  readonly keptResults?: Pick<KeptResults, 'read'> | undefined
}

export function listResourceSources(ports: GuideNeeds): readonly ListSource[] {
  return [openGuideSource(ports)]
}

export function openReadSources(
  ports: GuideNeeds,
  settings: { readonly prefix: string },
  { keptResults }: FurtherSources,
): readonly ReadSource[] {
  const kept = keptResults === undefined ? [] : [openKeptResultSource(keptResults, settings)]
  return [openGuideSource(ports), ...kept]
}

export function openPromptSources(ports: GuideNeeds): readonly PromptSource[] {
  return [openGuidePrompts(ports)]
}
