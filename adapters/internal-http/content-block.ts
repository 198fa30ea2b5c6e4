/** Checks that a block of an execute answer has a known shape. The execute door checked its content. */
import type { ContentBlock } from '../../core/mcp/content.ts'
import { type Fields, isRecord } from './fields.ts'

const BLOCK_CHECKS: { readonly [type in ContentBlock['type']]: (block: Fields) => boolean } = {
  text: (block) => hasTexts(block, ['text']),
  image: (block) => hasTexts(block, ['data', 'mimeType']),
  audio: (block) => hasTexts(block, ['data', 'mimeType']),
  resource: ({ resource }) =>
    isRecord(resource) &&
    hasTexts(resource, ['uri'], ['mimeType']) &&
    (hasTexts(resource, ['text']) || hasTexts(resource, ['blob'])),
  resource_link: (block) => hasTexts(block, ['uri', 'name'], ['title', 'description', 'mimeType']),
}

export function isContentBlock(value: unknown): value is ContentBlock {
  return isRecord(value) && isBlockType(value['type']) && BLOCK_CHECKS[value['type']](value)
}

function isBlockType(value: unknown): value is ContentBlock['type'] {
  return typeof value === 'string' && Object.hasOwn(BLOCK_CHECKS, value)
}

function hasTexts(
  fields: Fields,
  needed: readonly string[],
  optional: readonly string[] = [],
): boolean {
  return (
    needed.every((name) => typeof fields[name] === 'string') &&
    optional.every((name) => fields[name] === undefined || typeof fields[name] === 'string')
  )
}
