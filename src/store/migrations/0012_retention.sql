-- SPDX-License-Identifier: Apache-2.0
-- What is removed by age is found by age (store_retention.h).
CREATE INDEX timeline_age ON timeline (at_us);
CREATE INDEX connections_age ON connections (created_at_us) WHERE state <> 'success';
