/** How often an event was sent again, so that the end of an earlier sending ends no later one. */

export const EVENT_RESENDS = 'ALTER TABLE events ADD COLUMN resends INTEGER NOT NULL DEFAULT 0;'
