/**
 * What agents read beside guides, in the order of lists: of a function that asks upstreams itself,
 * and of one that hands reads to it.
 */
import type { KeptResults } from '../../ports/kept-results.ts'
import { openKeptResultSource } from './kept-result-source.ts'
import type { FurtherSources, PromptReader, ReadSource } from './resource-source.ts'
import {
  listUpstreamPrompts,
  listUpstreamResources,
  listUpstreamTemplates,
  type UpstreamListNeeds,
} from './upstream-lists.ts'
import {
  openUpstreamPrompts,
  openUpstreamSource,
  type UpstreamSourceNeeds,
} from './upstream-source.ts'

export type ReadHereNeeds = UpstreamSourceNeeds & {
  readonly keptResults: Pick<KeptResults, 'read'>
}

type Settings = { readonly prefix: string }

/** What can be read in this process. */
export type Reads = {
  readonly resources: readonly ReadSource[]
  readonly prompts: PromptReader
}

export function openReads(ports: ReadHereNeeds, settings: Settings): Reads {
  return {
    resources: [
      openKeptResultSource(ports.keptResults, settings),
      openUpstreamSource(ports, settings),
    ],
    prompts: openUpstreamPrompts(ports, settings),
  }
}

/** Lists are read from the store, whoever reads what they name. */
export function withLists(
  ports: UpstreamListNeeds,
  settings: Settings,
  { prompts, resources }: Reads,
): FurtherSources {
  return {
    resources: [listUpstreamResources(ports, settings)],
    templates: [listUpstreamTemplates(ports, settings)],
    reads: resources,
    prompts: [{ ...listUpstreamPrompts(ports, settings), ...prompts }],
  }
}
