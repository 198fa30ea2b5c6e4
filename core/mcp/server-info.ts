/** The server's information for agents, the same in every revision and transport. */
import type { Settings } from '../settings.ts'
import type { ServerInfo } from './revision.ts'

/** Returns name, version and the instructions for models. */
export function makeServerInfo(settings: Pick<Settings, 'prefix' | 'version'>): ServerInfo {
  const { prefix, version } = settings
  return { name: 'skillgate', version, instructions: writeInstructions(prefix) }
}

/**
 * Models read this before any tool, so it names the tools that help with all others. The text does
 * not depend on the caller, since `initialize` reads no profile.
 */
function writeInstructions(prefix: string): string {
  return (
    'Tools of this gateway are skills that cost credits per call; failed calls are refunded. ' +
    'Your own are named {username}_{skill}. ' +
    `${prefix}_search_skills finds tools by words, and ${prefix}_account shows the credits left. ` +
    `If ${prefix}_call is listed, it calls a tool that was found.`
  )
}
