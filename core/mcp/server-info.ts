/** The server's information for agents, the same in every revision and transport. */
import type { Settings } from '../settings.ts'
import type { ServerInfo } from './revision.ts'

export function makeServerInfo(settings: Pick<Settings, 'version'>): ServerInfo {
  return { name: 'skillgate', version: settings.version, instructions: INSTRUCTIONS }
}

const INSTRUCTIONS =
  'Tools of this gateway are skills that cost credits per call; failed calls are refunded. Your own are named {username}_{skill}.'
