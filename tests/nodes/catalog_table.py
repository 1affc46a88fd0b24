"""The catalog's table: what each specification of the original system is made of.

A block a specification: its name and how many examples it has, then its fields. `name*` is
required, `name{a|b…9}` has nine options of which `a` and `b` are checked by name.
"""

import re
from typing import Literal, TypedDict

Section = Literal["configurations", "inputs", "outputs"]


class Row(TypedDict):
    """One specification; `required`, `option_counts` and `options` say `inputs.NAME` and so on."""

    configurations: list[str]
    inputs: list[str]
    outputs: list[str]
    required: list[str]
    option_counts: dict[str, int]
    options: dict[str, list[str]]
    examples: int


_TABLE = """
TRIGGER.MANUAL 2
configurations: trigger_name description
outputs: trigger_time execution_id user_id trigger_message

TRIGGER.WEBHOOK 2
configurations: webhook_path* allowed_methods{GET|POST|PUT|PATCH|DELETE} authentication{none|
  header_token|query_param|signature} auth_token response_format{json|text|html}
outputs: headers body query_params method{GET|POST|PUT|PATCH|DELETE} path timestamp client_ip

TRIGGER.CRON 3
configurations: cron_expression* timezone max_missed_runs
outputs: trigger_time scheduled_time execution_id timezone trigger_message

TRIGGER.GITHUB 4
configurations: repository* events*{push|pull_request|issues|issue_comment|pull_request_review…11}
  branches webhook_secret filter_conditions include_payload
outputs: trigger_time event_type{push|pull_request|issues|issue_comment|pull_request_review…11}
  repository sender branch commit_sha trigger_message github_payload

TRIGGER.SLACK 4
configurations: workspace_id* events*{message|app_mention|reaction_added|reaction_removed|
  channel_created…11} channels keywords bot_token*
outputs: trigger_time execution_id event_type{message|app_mention|reaction_added|reaction_removed|
  channel_created…11} channel_id channel_name user_id user_name message_text thread_ts
  trigger_message slack_payload

TRIGGER.EMAIL 4
configurations: email_provider*{imap|gmail_api|outlook_api|webhook} server_config* credentials*
  mailbox filter_criteria subject_keywords sender_whitelist process_attachments attachment_types
  max_attachment_size polling_interval
outputs: trigger_time execution_id email_id sender recipient subject body_text body_html
  attachments received_date trigger_message email_headers

AI_AGENT.OPENAI_CHATGPT 1
configurations: model*{gpt-5|gpt-5-mini|gpt-5-nano|gpt-5-mini-2025-08-07|gpt-5-chat-latest…7}
  system_prompt* temperature max_tokens top_p frequency_penalty presence_penalty
inputs: user_prompt*
outputs: content* metadata token_usage function_calls

AI_AGENT.ANTHROPIC_CLAUDE 2
configurations: model*{claude-sonnet-4-5-20250929|claude-3-5-haiku-20241022} system_prompt
  max_tokens temperature top_p multimodal_config function_calling context_management
  output_processing safety_config performance_config cost_optimization
inputs: user_prompt*
outputs: content* metadata token_usage* function_calls

AI_AGENT.GOOGLE_GEMINI 1
configurations: model*{gemini-2.5-pro|gemini-2.5-flash|gemini-2.5-flash-lite} system_prompt
  user_prompt* generation_config safety_settings multimodal_config function_calling
inputs: user_prompt* images
outputs: content* metadata token_usage function_calls

EXTERNAL_ACTION.SLACK 3
configurations: action_type*{send_message|send_file|create_channel|invite_users|get_user_info…10}
  channel* bot_token* use_oauth message_format{text|mrkdwn|blocks} thread_ts unfurl_links
  unfurl_media
inputs: action_type{send_message|send_file|create_channel|invite_users|get_user_info…10} message
  blocks attachments channel_override user_mentions metadata
outputs: success action content message_ts channel_id error_message api_response

EXTERNAL_ACTION.GITHUB 4
configurations: github_token* action_type*{create_repository|update_repository|delete_repository|
  fork_repository|list_repositories…43} repository_config*
inputs: action_type{create_repository|update_repository|delete_repository|fork_repository|
  list_repositories…43} owner repo title body labels assignees issue_number pr_number head base
  path content branch commit_message tag_name workflow_file ref comment
outputs: success github_response resource_id resource_url error_message rate_limit_info
  execution_metadata

EXTERNAL_ACTION.NOTION 4
configurations: notion_token* operation_type{database|page|both} database_id page_id
inputs: instruction* context
outputs: success resource_id resource_url error_message ai_execution discovered_resources

EXTERNAL_ACTION.GOOGLE_CALENDAR 4
configurations: access_token* refresh_token action_type*{list_events|create_event|update_event|
  delete_event|get_event…18} calendar_id summary description location start end start_datetime
  end_datetime date attendees event_id reminders recurrence time_min time_max max_results
  single_events order_by{startTime|updated} show_deleted q query text
inputs: action_type{list_events|create_event|update_event|delete_event|get_event…18} data context
  variables
outputs: success google_response event events calendars next_page_token next_sync_token html_link
  event_id event_url calendar_url meeting_link error_message execution_metadata

EXTERNAL_ACTION.FIRECRAWL 2
configurations: firecrawl_api_key* action_type*{scrape|crawl|extract|screenshot}
inputs: action_type{scrape|crawl|extract|screenshot} url urls include_selectors exclude_selectors
  format{markdown|html|text|json} max_depth limit schema headers screenshot
outputs: success content data urls_processed error_message stats

EXTERNAL_ACTION.DISCORD_ACTION 4
configurations: action_type*{send_message|send_file|create_channel|delete_channel|manage_roles…14}
  server_id* channel_id message_content embed_config file_config target_user_id role_config
  channel_config moderation_config reaction_emoji message_id thread_config webhook_config
  retry_config rate_limit_handling
inputs: action_type{send_message|send_file|create_channel|delete_channel|manage_roles…10} data
  context variables
outputs: success discord_response message_id channel_id error_message rate_limit_info
  execution_metadata

EXTERNAL_ACTION.TELEGRAM_ACTION 4
configurations: telegram_bot_token* action_type*{send_message|send_photo|send_document|send_video|
  send_audio…23} chat_id* message_text parse_mode{Markdown|HTML|MarkdownV2} media_config
  keyboard_config location_config contact_config poll_config user_management message_options
  edit_config forward_config retry_config
inputs: action_type{send_message|send_photo|send_document|send_video|send_audio…14} data context
  variables
outputs: success telegram_response message_id chat_id error_message rate_limit_info
  execution_metadata

ACTION.HTTP_REQUEST 3
configurations: method*{GET|POST|PUT|PATCH|DELETE…7} url* headers query_params body_type{json|
  form|raw|none} follow_redirects max_redirects
inputs: body url_variables dynamic_headers dynamic_query_params
outputs: status_code headers body json success error_message response_time url redirects

ACTION.DATA_TRANSFORMATION 3
configurations: operation*{map|filter|aggregate|sort|group_by…9} transformation_script
  field_mapping filter_conditions sort_config group_by_fields aggregation_functions
  output_format{json|array|csv|xml} preserve_metadata
inputs: data* context variables
outputs: transformed_data original_count output_count transformation_stats success error_message

FLOW.IF 3
configurations: condition_expression*
inputs: data* context variables
outputs: data* condition_result

FLOW.LOOP 3
configurations: loop_type*{for_range|for_each|while} loop_condition start_value end_value
  max_iterations iteration_variable array_path break_on_error collect_results
inputs: data* context loop_data
outputs: final_result iteration_results successful_iterations failed_iterations

FLOW.MERGE 2
configurations: merge_strategy*{concatenate|union} merge_key timeout_seconds
  handle_duplicates{keep_all|keep_first|keep_last|remove_duplicates}
inputs: data* metadata timestamps
outputs: merged_data merge_stats source_mapping

FLOW.FILTER 4
configurations: filter_mode*{include|exclude|partition} filter_type*{simple_condition|
  complex_expression|custom_function|regex_pattern|range_filter…9} conditions*
  logical_operator{AND|OR|NOT} custom_filter_function case_sensitive null_handling{include|
  exclude|treat_as_empty} nested_field_support max_results sort_filtered_results sort_field
  sort_order{asc|desc} error_handling{skip_invalid|fail_on_error|include_with_warning}
inputs: data* metadata context
outputs: filtered_data excluded_data filter_stats validation_errors

FLOW.SORT 2
configurations: sort_field* order{asc|desc}
inputs: data* metadata sort_override
outputs: sorted_data sort_stats original_indices

FLOW.WAIT 4
configurations: wait_type*{condition|event|signal|resource|approval…10} wait_condition
  check_interval_seconds timeout_seconds max_attempts event_config webhook_config file_config
  api_config queue_config database_config resource_config exponential_backoff backoff_multiplier
  pass_through_data include_wait_metadata cancellable
inputs: data* context variables
outputs: data wait_result trigger_data

FLOW.DELAY 2
configurations: duration_seconds
inputs: data*
outputs: data delay_info

HUMAN_IN_THE_LOOP.SLACK_INTERACTION 3
configurations: channel* bot_token* use_oauth clarification_question_template* timeout_minutes
  auto_thread ai_analysis_model{gpt-5-mini|gpt-5-nano} custom_analysis_prompt
inputs: content user_mention
outputs: content ai_classification{confirmed|rejected|unrelated|timeout} user_response

HUMAN_IN_THE_LOOP.GMAIL_INTERACTION 3
configurations: gmail_credentials* sender_email* recipient_emails* email_subject* email_template*
  response_timeout ai_analysis_model{gpt-5-mini|gpt-5-nano} response_analysis_prompt
  include_attachments auto_reply_enabled confirmation_messages
inputs: content user_mention
outputs: content ai_classification{confirmed|rejected|unrelated|timeout} user_response

HUMAN_IN_THE_LOOP.OUTLOOK_INTERACTION 3
configurations: outlook_credentials* sender_email* recipient_emails* email_subject* email_template*
  response_timeout ai_analysis_model{gpt-5-mini|gpt-5-nano} response_analysis_prompt
  include_attachments use_rich_formatting auto_reply_enabled priority_level{low|normal|high}
  delivery_receipt read_receipt folder_monitoring confirmation_messages
inputs: content user_mention
outputs: content ai_classification{confirmed|rejected|unrelated|timeout} user_response

HUMAN_IN_THE_LOOP.DISCORD_INTERACTION 3
configurations: server_id* channel_id* message_template* response_timeout
  ai_analysis_model{gpt-5-mini|gpt-5-nano}
inputs: content user_mention
outputs: content ai_classification{confirmed|rejected|unrelated|timeout} user_response

HUMAN_IN_THE_LOOP.TELEGRAM_INTERACTION 3
configurations: telegram_bot_token* chat_id* target_users message_template* response_timeout
  ai_analysis_model{gpt-5-mini|gpt-5-nano} response_analysis_prompt inline_keyboard
  enable_reply_keyboard reply_keyboard_buttons allow_text_responses require_specific_response
  allowed_response_patterns parse_mode{Markdown|HTML|MarkdownV2} disable_notification
  confirmation_messages
inputs: content user_mention
outputs: content ai_classification{confirmed|rejected|unrelated|timeout} user_response

HUMAN_IN_THE_LOOP.MANUAL_REVIEW 3
configurations: review_type*{quality_assurance|security_review|compliance_check|code_review|
  content_moderation…9} review_title* review_description* reviewers* reviewer_roles
  review_criteria* scoring_system{pass_fail|numeric_scale|letter_grade|checklist|custom}
  score_range passing_threshold review_deadline ai_analysis_model{gpt-5-mini|gpt-5-nano}
  require_evidence allow_delegation consensus_required escalation_rules
inputs: content user_mention
outputs: content ai_classification{confirmed|rejected|unrelated|timeout} user_response

TOOL.NOTION_MCP_TOOL 3
configurations: access_token operation_type{database|page|both} default_database_id default_page_id
  available_tools{notion_database|notion_page|notion_search} page_size_limit enable_rich_text
  auto_create_missing_props
inputs: tool_name* function_args context call_id
outputs: result success error_message execution_time cached notion_object_id notion_object_type

TOOL.GOOGLE_CALENDAR_MCP_TOOL 3
configurations: mcp_server_url* access_token* default_calendar_id
  available_tools{google_calendar_events|google_calendar_quick_add|google_calendar_search|
  google_calendar_availability|google_calendar_date_query} timezone max_results
  enable_natural_language business_hours_only
inputs: tool_name* function_args context call_id
outputs: result success error_message execution_time cached calendar_id event_id

TOOL.SLACK_MCP_TOOL 3
configurations: mcp_server_url* access_token* workspace_id available_tools{slack_send_message|
  slack_list_channels|slack_get_user_info|slack_create_channel|slack_invite_user…9} default_channel
  use_oauth message_limit enable_threading auto_mention_users
inputs: tool_name* function_args context call_id
outputs: result success error_message execution_time cached channel_id message_ts user_id

TOOL.FIRECRAWL_MCP_TOOL 3
configurations: mcp_server_url* firecrawl_api_key* available_tools{firecrawl_scrape|firecrawl_map|
  firecrawl_crawl|firecrawl_batch_scrape|firecrawl_search} default_formats{markdown|html|rawHtml|
  screenshot|links…6} timeout_seconds max_crawl_pages wait_for_selector extract_main_content
  remove_base64_images
inputs: tool_name* function_args context call_id
outputs: result success error_message execution_time cached scraped_url content_type
  pages_processed

TOOL.DISCORD_MCP_TOOL 4
configurations: mcp_server_url* discord_bot_token* default_server_id
  available_tools{discord_get_server_info|discord_list_members|discord_create_text_channel|
  discord_send_message|discord_read_messages…10} default_channel_id message_limit enable_embeds
  auto_react manage_permissions
inputs: tool_name* function_args context call_id
outputs: result success error_message execution_time cached server_id channel_id message_id

MEMORY.VECTOR_DATABASE 3
configurations: database_provider*{supabase_pgvector|pinecone|weaviate|chromadb|qdrant}
  database_url* table_name* embedding_model*{text-embedding-ada-002|text-embedding-3-small|
  text-embedding-3-large|sentence-transformers/all-MiniLM-L6-v2} vector_dimension*
  similarity_threshold max_results
inputs: operation{search|store|update|delete} query context filters items ids
outputs: results scores total_results search_time cached

MEMORY.CONVERSATION_BUFFER 3
configurations: max_messages auto_summarize summarize_count
inputs: message role{user|assistant|system} metadata
outputs: messages total_messages buffer_full success summary summary_metadata

MEMORY.KEY_VALUE_STORE 3
configurations: storage_backend*{memory|redis|sqlite|file} connection_config default_ttl key_prefix
  max_keys
inputs: operation{get|set|delete|exists|keys…6} key value options
outputs: value exists keys success error_message operation_time cache_hit

MEMORY.DOCUMENT_STORE 4
configurations: collection_name* auto_capture_from_ai title_auto title_max_length full_text_search
  search_fields max_results indexing_strategy{automatic|manual|hybrid} content_extraction
  supported_formats relevance_scoring{tf_idf|bm25|hybrid} metadata_indexing
inputs: operation{store|search|update|delete} document_id title content tags metadata query filters
  file_path file_type source_node created_at
outputs: documents total_count relevance_scores search_metadata document_summaries filtered_results
  execution_time_ms

MEMORY.EPISODIC_MEMORY 3
configurations: storage_backend{timescaledb|postgresql|elasticsearch} importance_threshold
  retention_period temporal_context_window
inputs: actor action object context outcome importance timestamp event_type query_params
outputs: episodes timeline context_summary

MEMORY.GRAPH_MEMORY 3
configurations: graph_database{neo4j|arangodb|tigergraph|amazon_neptune} node_types
  relationship_types traversal_depth relationship_strength_threshold
inputs: operation{add|add_and_query|query} nodes relationships query start_node filters
outputs: paths connected_nodes relationship_summary graph_metrics
"""

_FIELD = re.compile(r"(?P<name>\w+)(?P<star>\*?)(?:\{(?P<options>[^}…]*)(?:…(?P<count>\d+))?\})?")


def _row(block: str) -> tuple[str, Row]:
    heading, _, body = block.strip().partition("\n")
    ref, examples = heading.split()
    row = Row(
        configurations=[],
        inputs=[],
        outputs=[],
        required=[],
        option_counts={},
        options={},
        examples=int(examples),
    )
    for section in ("configurations", "inputs", "outputs"):
        if found := re.search(rf"^{section}: (.*(?:\n  .*)*)", body, re.MULTILINE):
            _read(row, section, found[1])
    return ref, row


def _read(row: Row, section: Section, text: str) -> None:
    for field in _FIELD.finditer(text):
        key = f"{section}.{field['name']}"
        row[section].append(field["name"])
        if field["star"]:
            row["required"].append(key)
        if field["options"]:
            options = "".join(field["options"].split()).split("|")
            row["options"][key] = options
            row["option_counts"][key] = int(field["count"] or len(options))


TABLE: dict[str, Row] = dict(map(_row, _TABLE.strip().split("\n\n")))
