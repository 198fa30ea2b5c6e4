/** All admin routes, in the order of the documentation. */

import { ADMIN_KEY_ROUTES } from './admin-key-routes.ts'
import { AUDIT_ROUTES } from './audit-routes.ts'
import { CALL_ROUTES } from './call-routes.ts'
import { CREDIT_ROUTES } from './credit-routes.ts'
import { documentRoute } from './document-route.ts'
import { DRY_RUN_ROUTES } from './dry-run-routes.ts'
import { IMPORT_ROUTES } from './import-routes.ts'
import { KEY_ROUTES } from './key-routes.ts'
import { LEDGER_ROUTE } from './ledger-route.ts'
import { MIGRATE_ROUTE } from './migrate-route.ts'
import { PEOPLE_ROUTES } from './people-routes.ts'
import type { Route } from './route.ts'
import { SECRET_ROUTES } from './secret-routes.ts'
import { SET_ROUTES } from './set-routes.ts'
import { SHARED_SECRET_ROUTES } from './shared-secret-routes.ts'
import { SKILL_ROUTES } from './skill-routes.ts'
import { SKILL_VERSION_ROUTES } from './skill-version-routes.ts'
import { TOOL_LIST_ROUTES } from './tool-list-routes.ts'
import { USAGE_ROUTE } from './usage-route.ts'
import { USER_ROUTES } from './user-routes.ts'

export const ROUTES: readonly Route[] = [
  ...TOOL_LIST_ROUTES,
  ...SKILL_ROUTES,
  ...SKILL_VERSION_ROUTES,
  ...DRY_RUN_ROUTES,
  ...SET_ROUTES,
  ...PEOPLE_ROUTES,
  ...IMPORT_ROUTES,
  ...USER_ROUTES,
  ...CREDIT_ROUTES,
  LEDGER_ROUTE,
  ...CALL_ROUTES,
  USAGE_ROUTE,
  ...KEY_ROUTES,
  ...SECRET_ROUTES,
  ...SHARED_SECRET_ROUTES,
  ...ADMIN_KEY_ROUTES,
  ...AUDIT_ROUTES,
  MIGRATE_ROUTE,
  documentRoute(() => ROUTES),
]
