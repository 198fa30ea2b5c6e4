/** The tools of the yardsticks of bench:mcp: as many as our list has, each asking the one upstream. */
import { askUpstream } from '../lib/ask-upstream.ts'
import { TOOLS_LISTED } from './messages.ts'

export const TOOL_DESCRIPTION = 'Tells the weather in a city.'
export const TOOL_NAMES: readonly string[] = Array.from(
  { length: TOOLS_LISTED },
  (_, index) => `weather_${String(index).padStart(2, '0')}`,
)

export function weatherText(city: string): Promise<string> {
  return askUpstream(`${process.argv[2]}/weather?city=${encodeURIComponent(city)}`)
}
