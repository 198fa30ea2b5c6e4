/**
 * Content blocks for revisions that lack some types. A missing type becomes a text block that says
 * so, since clients refuse unknown blocks. Bound by MCP, schema, CallToolResult of each revision.
 */
import type { ContentBlock, MediaBlock, ResourceLinkBlock, TextBlock } from './content.ts'

/** 2024-11-05 has text, images and embedded resources. */
export function withoutAudioAndLinks(block: ContentBlock): ContentBlock {
  return block.type === 'audio' ? audioText(block) : withoutLinks(block)
}

/** 2025-03-26 also has audio. */
export function withoutLinks(block: ContentBlock): ContentBlock {
  return block.type === 'resource_link' ? linkText(block) : block
}

function linkText({ name, title, uri }: ResourceLinkBlock): TextBlock {
  return { type: 'text', text: `${title ?? name}: ${uri}` }
}

function audioText({ data, mimeType }: MediaBlock): TextBlock {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const bytes = (data.length / 4) * 3 - padding
  const text =
    `[${mimeType}, ${bytes} bytes, left out because MCP 2024-11-05 has no audio. ` +
    'POST /v1/execute returns it.]'
  return { type: 'text', text }
}
