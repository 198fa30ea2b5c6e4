/** What a model is told of the gateway before it sees a tool. */
import { expect, test } from 'vitest'
import { makeServerInfo } from '../../../core/mcp/server-info.ts'

test('the instructions name the search and the account by the prefix of the stage', () => {
  expect(makeServerInfo({ prefix: 'acme', version: '1.2.3' }).instructions).toBe(
    'Tools of this gateway are skills that cost credits per call; failed calls are refunded. ' +
      'Your own are named {username}_{skill}. ' +
      'acme_search_skills finds tools by words, and acme_account shows the credits left. ' +
      'If acme_call is listed, it calls a tool that was found.',
  )
})
