/* SPDX-License-Identifier: Apache-2.0
 * One suite for every database: what store.h and its sisters promise. The URL is the first
 * argument, or POSTHORN_TEST_DATABASE; without either a SQLite file is made for each part. */
#include "fixture.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc > 1)
		setenv("POSTHORN_TEST_DATABASE", argv[1], 1);
	int failures = run_turn_tests();
	failures += run_beside_tests();
	failures += run_app_tests();
	failures += run_app_end_tests();
	failures += run_connection_tests();
	failures += run_post_tests();
	failures += run_accept_tests();
	failures += run_delivery_tests();
	failures += run_counter_tests();
	failures += run_tally_tests();
	failures += run_change_tests();
	failures += run_dashboard_tests();
	failures += run_find_tests();
	failures += run_words_tests();
	failures += run_node_tests();
	failures += run_quota_tests();
	failures += run_lane_tests();
	failures += run_removal_tests();
	failures += run_late_id_tests();
	failures += run_media_tests();
	failures += run_look_tests();
	failures += run_reseal_tests();
	failures += run_retry_many_tests();
	failures += run_sandbox_tests();
	failures += run_audit_tests();
	return failures == 0 ? 0 : 1;
}
