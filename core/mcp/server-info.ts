/** The server's information for agents, the same in every revision and transport. */
import type { Settings } from '../settings.ts'
import type { ServerInfo } from './revision.ts'

export function makeServerInfo(
  settings: Pick<Settings, 'prefix' | 'toolList' | 'version'>,
): ServerInfo {
  const { version } = settings
  return { name: 'skillgate', version, instructions: instructionsFor(settings) }
}

/** Models read this before any tool, so it names the tools that help with all the others. */
function instructionsFor({ prefix, toolList }: Pick<Settings, 'prefix' | 'toolList'>): string {
  const more = toolList === 'search' ? ` ${prefix}_call calls a tool that was found.` : ''
  return (
    'Tools of this gateway are skills that cost credits per call; failed calls are refunded. ' +
    'Your own are named {username}_{skill}. ' +
    `${prefix}_search_skills finds tools by words, and ${prefix}_account shows the credits left.${more}`
  )
}
