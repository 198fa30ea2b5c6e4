/**
 * Answers of the fixtures that need nothing from the client: one function per tool that the
 * official suite names. Contents as the suite describes them; the text is ours where the suite
 * leaves it open.
 */
import { setTimeout as delay } from 'node:timers/promises'

export type ToolAnswer = { readonly status?: number; readonly body: object }
/** `refreshTools` makes the gateway announce that its tools have changed. */
export type Surroundings = { readonly refreshTools: () => Promise<void> }
export type PlainTool = (around: Surroundings) => ToolAnswer | Promise<ToolAnswer>

/** The gateway reports progress at once and then each second; the suite expects three reports. */
const PROGRESS_MS = 2_500
/** One red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
/** A WAV header without a sample. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export const PLAIN_TOOLS: ReadonlyMap<string, PlainTool> = new Map<string, PlainTool>([
  ['test_simple_text', () => texts('This is a simple text response for testing.')],
  ['test_image_content', () => blocks(image())],
  ['test_audio_content', () => blocks({ type: 'audio', data: WAV, mimeType: 'audio/wav' })],
  [
    'test_embedded_resource',
    () =>
      blocks(resource('embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  ],
  [
    'test_multiple_content_types',
    () =>
      blocks(
        { type: 'text', text: 'Multiple content types test:' },
        image(),
        resource('mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
      ),
  ],
  [
    'test_error_handling',
    () => ({
      status: 500,
      body: { error: 'This tool intentionally returns an error for testing' },
    }),
  ],
  ['test_tool_with_progress', takeTime],
  ['test_logging_tool', () => texts('Nothing was logged to you.')],
  ['test_trigger_tool_change', changeTools],
  ['test_x_mcp_header', () => texts('The headers mirrored the arguments.')],
])

async function takeTime(): Promise<ToolAnswer> {
  await delay(PROGRESS_MS)
  return texts('It took its time.')
}

async function changeTools({ refreshTools }: Surroundings): Promise<ToolAnswer> {
  await refreshTools()
  return texts('The tools have changed.')
}

export function texts(text: string): ToolAnswer {
  return blocks({ type: 'text', text })
}

function blocks(...content: readonly object[]): ToolAnswer {
  return { body: { content } }
}

function image(): object {
  return { type: 'image', data: PNG, mimeType: 'image/png' }
}

function resource(name: string, mimeType: string, text: string): object {
  return { type: 'resource', resource: { uri: `test://${name}`, mimeType, text } }
}
