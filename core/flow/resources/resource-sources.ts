/** The sources of resources, in the order of the list. */
import { type GuideNeeds, openGuideSource } from './guide-source.ts'
import type { ResourceSource } from './resource-source.ts'

export type ResourceNeeds = GuideNeeds

export function openResourceSources(ports: ResourceNeeds): readonly ResourceSource[] {
  return [openGuideSource(ports)]
}
