/** The sources of resources and of prompts, in the order of their lists. */
import type { KeptResults } from '../../ports/kept-results.ts'
import { type GuideNeeds, openGuidePrompts, openGuideSource } from './guide-source.ts'
import { openKeptResultSource } from './kept-result-source.ts'
import type { ListSource, PromptSource, ReadSource } from './resource-source.ts'
import {
  openUpstreamPrompts,
  openUpstreamSource,
  openUpstreamTemplates,
  type UpstreamSourceNeeds,
} from './upstream-source.ts'

/** What a door can read besides guides. */
export type FurtherSources = {
  /** Absent at a door whose function reads no results. */
  readonly keptResults?: Pick<KeptResults, 'read'> | undefined
  /** Absent at a door whose function asks no upstreams. */
  readonly upstreams?: UpstreamSourceNeeds | undefined
}

type Settings = { readonly prefix: string }

export function listResourceSources(
  ports: GuideNeeds,
  settings: Settings,
  { upstreams }: FurtherSources,
): readonly ListSource[] {
  return [
    openGuideSource(ports),
    ...(upstreams === undefined ? [] : [openUpstreamSource(upstreams, settings)]),
  ]
}

export function listTemplateSources(
  settings: Settings,
  { upstreams }: FurtherSources,
): readonly ListSource[] {
  return upstreams === undefined ? [] : [openUpstreamTemplates(upstreams, settings)]
}

export function openReadSources(
  ports: GuideNeeds,
  settings: Settings,
  { keptResults, upstreams }: FurtherSources,
): readonly ReadSource[] {
  return [
    openGuideSource(ports),
    ...(keptResults === undefined ? [] : [openKeptResultSource(keptResults, settings)]),
    ...(upstreams === undefined ? [] : [openUpstreamSource(upstreams, settings)]),
  ]
}

export function openPromptSources(
  ports: GuideNeeds,
  settings: Settings,
  { upstreams }: FurtherSources,
): readonly PromptSource[] {
  return [
    openGuidePrompts(ports),
    ...(upstreams === undefined ? [] : [openUpstreamPrompts(upstreams, settings)]),
  ]
}
