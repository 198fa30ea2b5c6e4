/** The sources of resources and of prompts, in the order of their lists. */
import { type GuideNeeds, openGuidePrompts, openGuideSource } from './guide-source.ts'
import type { PromptSource, ResourceSource } from './resource-source.ts'

export type ResourceNeeds = GuideNeeds

export function openResourceSources(ports: ResourceNeeds): readonly ResourceSource[] {
  return [openGuideSource(ports)]
}

export function openPromptSources(ports: ResourceNeeds): readonly PromptSource[] {
  return [openGuidePrompts(ports)]
}
