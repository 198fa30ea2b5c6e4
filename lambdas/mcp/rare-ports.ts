/**
 * Ports on AWS for streams, for questions to clients, for new users of issuers, for guides, and for
 * the catalog.
 * This file is a chunk of its own in the bundle, which a start of the function does not open.
 */
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoGuides } from '../../adapters/dynamodb/registry/guides.ts'
import { dynamoClientResponses } from '../../adapters/dynamodb/sessions/client-responses.ts'
import { dynamoLeases } from '../../adapters/dynamodb/sessions/leases.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import { dynamoIdentityInvites } from '../../adapters/dynamodb/users/identity-invites.ts'
import { dynamoUsernames } from '../../adapters/dynamodb/users/usernames.ts'

export function createRareMcpPorts(store: DynamoStore) {
  return {
    clientResponses: dynamoClientResponses(store),
    guides: dynamoGuides(store),
    identityInvites: dynamoIdentityInvites(store),
    leases: dynamoLeases(store),
    sessions: dynamoSessions(store),
    usageSums: dynamoUsageSums(store),
    usernames: dynamoUsernames(store),
  }
}
