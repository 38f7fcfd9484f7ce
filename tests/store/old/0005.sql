-- SPDX-License-Identifier: Apache-2.0
-- Schema 5: as the program of schema 6 left it, with what migration 6 added taken away.
-- client_id phc_NRRtI3pJpYOWl0t_CioXkfWo
-- client_secret phs_oJRNsufwZ4FRM6sUXQ01V_8wlpVxlBKoqQw2z0VQ3jl
BEGIN TRANSACTION;
CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	connection_id TEXT NOT NULL,
	platform_account_id TEXT NOT NULL,
	username TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	avatar_url TEXT NOT NULL,
	type TEXT NOT NULL,
	state TEXT NOT NULL
		CHECK (state IN ('active', 'expiring', 'reauth_required', 'disconnected')),
	access_token_sealed BLOB NOT NULL,
	refresh_token_sealed BLOB NOT NULL,
	extra TEXT NOT NULL,
	extra_sealed BLOB NOT NULL,
	scopes TEXT NOT NULL,
	expires_at_us BIGINT NOT NULL,
	refresh_expires_at_us BIGINT NOT NULL,
	token_version BIGINT NOT NULL,
	last_refresh_at_us BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL, is_unconfirmed BIGINT NOT NULL DEFAULT 0,
	UNIQUE (app_id, user_id, platform, platform_account_id)
);
INSERT INTO "accounts" VALUES('01a205c7-5006-79f0-98e4-445c6349667e','01a205c7-4f89-756b-93e2-7a91e2051696',3,'user-1','conn_9b73959e65c838acb6dfb7e9872b0595','1790000000000000123','jodoe','Jo Doe','','http://sandbox.example/pbs.twimg.com/profile_images/1/jodoe_normal.jpg','personal','active',X'01441EDC56133ECE3D1247EB66777748397BA9A21D057783B9857BF722D4F3D4BF1532BAA3503ADDBD15CB885633A527D1BE6DD2FE61165C3EFF1BEE46D1FA103F9586D02629EAAA2E01630F76FE07C595BC87698C9341F2ABFBA9F3A10CB32F8038C8AED6C6034F138C1092E0CA9B9F3914ED9B87C89D11D9E1DAB09C52457DD9BC9024738C05A02A',X'01441EDC56095D885B0F01E63DF68D3B5D5903B8C86487B8CB420E6249ACC42229E5F4DB0CF296A16188D8358DFEF2B70C460D8EBD15C0DC5B90071CC9199DD7E43CECB6C2F0D875BA85E0CFC21C53B97DC7D452E3DF22A46034BD21D6610735E8FE40782FFD4D162ADB99D3B1432DF1AFF12DCC16183AB0F04D526FB00839C7FE6B7DE02B61E425F0','{"subscription_type":"None","verified_type":"none"}',X'','tweet.read tweet.write users.read media.write offline.access',1795400477957104,0,1,0,'',1795393277958236,1795393277958236,0);
INSERT INTO "accounts" VALUES('01a205c7-5052-7669-b2c0-7f93f935260d','01a205c7-4f89-756b-93e2-7a91e2051696',2,'user-1','conn_2d5b8a4729d99e7b9360d25e8bdb141a','105312345678901234','harbourbakery','Harbour Bakery','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/H','page','active',X'01441EDC5651ABD936FEE8A9604F00FED3661A9118F98C1BC71DFC694B860D22E255ADD52D6361EBFD5D7918B724F4B99E021BD58B74CDD8616B1B489C83156D6EAD60DB089CE56B2D96FE3586A6C8977ED7E654E3DB1C68548A2DFE870BB53AA98E80F5C096A5DBE019944F19219777EDBAD5AF1E294BAD23C6EFB610F52C6C99D2F76D972D15F353842540B40884255ED6131D384BF18EAD0FADBFB90D2E10B85B096ECCC6FBF75F40C929B2A944C7D38CE759F2393C5252A20A4E0ED070448F41018691742E22BEE827CF8C50AB0D82BB7342FF1F62333151B5FB05C51E9573A5D4B721E21F1D58D046676A43',X'','{"user_id":"10229384756102938","data_access_expires_at":"2027-02-21T00:21:18Z"}',X'01441EDC5611783223A69B6A0DC6B920093596D0C66444A9CB9BEB6D7DF1F15D1380B03C77394DD0C3C2387427D3473BF8EFA0F8325136D840CD27A175B6C2AB87F27B8736C5F6B6390B1A964CA7F7C0CA403814B858076E9A56C9FDB0DDF2F03539E29F99CCDBBBFB00E69D72919EEF6C99923EDDDAB44B81375E88FE55FE6C7F15DDD6D47991394522E5B2A99556EE59E39C041D5467290DB606A7C1226765A5AAE4423008DE982D4A9831070BA54D1178FCECD79A3784320926E79528922A5EB5A0E820F0BF38A521A0FD1DD4899C84166F0199F1BE70DC3D2F058360AD6BFF8F0265','public_profile,pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,business_management',0,0,1,0,'',1795393278034415,1795393278034415,0);
INSERT INTO "accounts" VALUES('01a205c7-5052-7298-8625-3f3c26dd25be','01a205c7-4f89-756b-93e2-7a91e2051696',2,'user-1','conn_2d5b8a4729d99e7b9360d25e8bdb141a','107398765432109876','107398765432109876','Lighthouse Books','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/L','page','active',X'01441EDC565F2AF34216247865E2E811F509356FC42F1C468067220A35C2F82F7391FAEFC849D86ECD43F4BB6511BAC7EF69F00E10EC96A4708A770D1B4A1B0718939974135E7E196617D182DDD4D09105B8E83A123458398D3D81392E291D9D8CC7ABE33552C9889BEBCE33DD8ABCC11637AD9038964D073F503767476437B562DBA0EB54B6CB64DDDE3AE7483DC7AF4F1934FE83D1049FA65A173D327F127BB49DC2AB4320735AD0CE2B6328D7B477CC5B769B9051723EAE855505D532D6777C08AF26D298E6EAB03C70718EB8B5ACA0AD376CECDC26B6422A800E9A470B8E7E3260FF9644A032802518895FE3',X'','{"user_id":"10229384756102938","data_access_expires_at":"2027-02-21T00:21:18Z"}',X'01441EDC562EB76B1968F54F699091EDE352759F66D11CDBEC4F00A8E327BD9287A9298F72A9A8BD3859812F79AB313D73D8F131E8CD68DBAF9E9F61839FE9152758A9CC43D8D6767E8E6A0898E551CAD74C6C70B417B5A5DE3484AEA05762206105FE298A828C15B2E739D26BF104F878094287B2F3AFC86B4459F3456BB9C24D6C8D02A7F09FB7CC818C5B2551ABF0810FF113255050C4BC74FC8123F6AC67C940F478F61B6F57F904AB356937054254B5E03D241182E67DD75D52C01C74F787F1D5038914977C9F1E272F9A5F40897953BDC0A21E06FA107FE567C33776DB04998A39','public_profile,pages_show_list,pages_manage_posts,pages_read_engagement,pages_manage_engagement,business_management',0,0,1,0,'',1795393278034415,1795393278034415,0);
INSERT INTO "accounts" VALUES('01a205c7-5075-778d-9f3b-f212fdbc9e9e','01a205c7-4f89-756b-93e2-7a91e2051696',4,'user-1','conn_5d6d57239f70a865dbfcf529f2875d00','sbJo_Doe42','jo.doe','Jo Doe','jo.doe@example.com','http://sandbox.example/media.licdn.com/dms/image/member','personal','active',X'01441EDC56EB1BEFA38D03E1401F9823993D6D7822A61B13E9EADBB544A4816BEDCC2DEC39398E75832F3E203DB9ECE0FB3F16CAAC3ECED0A724B9B67C3C345BBF4C3CCA863F02B7DF14C594619F77ACEDD5A6944EC4F80DDD03C5149206D88A0874827157544F5399FD52AA39E57E369A0828816942F1FF2351516C0FC0F912693E05B4CF34518A7C8761E6233C8A188D007EED9828884D2DD13DCABEA73ACB0138CCDD99DD7F42E638910AFD65854082F8208AE96422FB57CF061074E4B8BE43560DB80C62C4A3EE6965F6FB23E42A3322204EA8075D312C39E6C31094D9C08FFDB04BDE0F4EF0C3F399F6F342AA73B20BF7F73E019CC94D69B5B9390306F186B6D76479C05528F135D5964E7BFF3F49D44136558D482C91A553A7F8CE2DAE701ADE619F9DD071B83E8F58B49FD3E38ECA7E06C94A882089DAF9E5F73AB1BD702D884A869E3A5B0E5EA1B9E38C14AF107B5EC701745A058C39EE5E8EC96B2C9DA3CB3B7E7F10CBE00E9513B34542598986DFEFEB0691EC0947A2D0818E4D06D1681E68B0DC7E7F4ACA989180314C06DA0A7A92184790ACA3F82D6DD0675EC9CCDBCFC620C322EB63CAFADB63080205F5B7E5D701B18110BC876425863F7C7A7784C6214182DA081FB8053E49F21C1581581F179AF4B6F85482AD5E73E83183AD99704FC124884E6AA591FCB02CD31B37BDC708F421D0F5029C35971427F74C31086885042E151EA8564D619FA79479C77B7BFE2A9AD57DFB4493AC35092D2A44',X'01441EDC5645B846E9D2C55ADFBE50AC66791006DDB33B80768C6B2C1CDCC12A4EFCB929F4AD61F49042C828B6D223A7685B33DC64C5838113DAA6546A54AB8A907B4623C632A5AF2DB9C5262285E4C91AAE96CF8F14DA89B9FC2925626B6C9FBB9673868BEC4CA390EB0EFBFDEBDC2CBAB60E8A6B920D89B9D7253420BD078A218BDECA9857E8CD55D77C9A421ACEFE315729257A7D02F9F4DF5B988B08F658DDF9B8C41DDBEDB420001D381AB5F4475225914E597F30482A6D759283AC6A884F5EF55510DE6BD7FE3E97F98BA0C56136A4DA8DCCCCED1C8791ABECE85123283E74867080AA5587AA7FC100254A1C9F9A5B3DE82DD08229B2FC7CA384D8FCF13C2B9BC6DB1116190FDF4CD910592F2C356B7D3FE4FBA05F100E24C66D982B52F3C5685374D7EA4D2B7DE24C0E742A977D16ADDE1649E16C7DA4035A66FEB94DC900E5259611A6AFEF1B621543B7AE1ABF43341BFA1C248C87EFD6652B26C9D1255615F7EA433C626CADB2F96379AD4F5B8E22859FEE5D4D13F8130022C00E357AAADDD6615E90760A81ABDBDF943EA30609C958F61CBEF9BB0CA3BD4EC2004157CF3FB9238EE969628627C67F9BB54D57FD81D2350ECA4777DB2BA43EB11A83294A977E30C42C11DB8C781557EC6211FB5ABA1418B425A214FA190EBA5F9EF2B5B6AA695939372CC4A2AD246AA8B35F8694FAFFEA4D97A342F6EC2D56152AD9CFEC4679499C7BA57A673AA6D8BAE07AB698CA6F4A8B8AFBF0C98B69A3A503C37A','',X'','email,openid,profile,r_organization_social,rw_organization_admin,w_member_social,w_organization_social',1800577278050049,1826929278050049,1,0,'',1795393278069643,1795393278069643,0);
INSERT INTO "accounts" VALUES('01a205c7-5075-77d3-99a6-5d4a2cdc4f0a','01a205c7-4f89-756b-93e2-7a91e2051696',4,'user-1','conn_5d6d57239f70a865dbfcf529f2875d00','1000001','posthorn-sandbox','Posthorn Sandbox Inc.','','http://sandbox.example/media.licdn.com/dms/image/page','organization','active',X'01441EDC56FC45C62A30E7892C70C4C033954A5DF540FA76FB15B1A39CA97EC1401814896F107870AC5C707A52A2A0C236D362B5306E833F8D6D1DA2BC0DE8EB90E0EDD70EBD44C17AEC744028BBA2FA813D21D135EA450A87826A74F4122D45F7647E714DDB74FD14BF289A2022095A35A98B299238B949125E22FCCD18E8EC3260A0DBBD71EFB9EA794BFC6EE14A87FCC18516A9D22CEF78A1D1273A5F6D4F9E11BF9EC0DB1A699066E929511B00435C665E3A11BBDC6166748770F033A9DFD463C225EE0C1CFF7C06769D4B7C92A006B90E6D8DFF1D15A121FE2641D9272D074E80A6CD263CCBF1DFC1825EEDF3D2FF908A733395675DF99C4921DF3041F9BFF9DB7BB2DDE3394E1F9AE3F9DBBCFCCF40356D8877E0B920395598523E0D5F4BBBCA0918155276275B0AFF51A460BD94D87768353FC42C9800A23FA9F8E61E4FD69B9109E67087D4E74026897D6C5EFE31F3856D9203E7E340703BC8427738D2A582E89B3488141104C04DDCF381D92E18FAE8785E08E5681E9FF5FB5BCA9758E9085C61B1EF3ACB4C3BAE459F8570C17C7E790AD5F6DDE09C146B7DBEADAFA72217DA327196AF5F8B8AB64C4511037C0BD1D5221A1C3453EE6E36FC0F05C9F51F119A188511FE52BBBC59B8002601CD0DD8F56670A49DBCE39928DF5ADDD188E8F9EFF22F74319D85633BE00A3B299877BD4E32E7229349C6E82A058B9D349A54F15C22716BB015DFBB9901AFB5BE6BCBA7C7ABCC210572F674811D2C9A326B',X'01441EDC5690373CFF340DC5FB2DACF791623BE8EAECFCB58574A514DC5923058D93F7B042BD7F106CA551BA3A192231E39D741150598336DE7C3E899E67931F13CEC92ECF636AD965D91CDC3998FB8A045172F4AA89D4A918E63130B153D4BF45EED8BC184D9EE186EA885DF426EA5ABD8EC4C6BA25AC33ACB4A02EE0659FE7DA3BD4D834CFDC3FF01628B4596D1E8B1A83B0EF16054EF68A300455923EC834B6BE5A639D858CA3C8217889EDA33D7FAD521D14831C2BEDD7143ECE452F2D31BA218C497B1CCF090E1CF88F1D8311F4869E5789CE0AB58A3FF4A77B6826AE21ECB71BBD0EF036B8EA91EC21BF906F1B59AAD38DD5652CF9463853A19ADDB91080A313548952D7429B6827375465C1DB03FC7B8D38A7DDD898BB8E42EDBF67F3FA43EDA2D7746622E7937C2044DE97F68070B73BFBD3C170BB54ADC0D20D0CB235C4B3F2747EE5CEB00C5BD50FAA1425BA2A2943D0D1B6C86ACD7CD6A54B5553921EE87C13D59D16E6E7A7720A2ECC40B06C80E5C0D5C8F1430C936BD8378027F0254BDBC921183B1F1FA74C7F259C3DA7884443BD24D30549568C41C71D18E6DE44451EEB3DDE4E09AA8CD6B6BC7085F131DEF8A96C0D690F3146F185986341F6C03196FD578B968BCB87D536E149D153AD89CEBDA31611D7667EDC004C7A46F5332B72BC5BA129D558DCBBFBF442D55AF15F726C7018C4234FCD771AC9E94ED3DF6F3318EE0459BEA44CA71CC7C5695DA5FD0054894371F88575C61217C01A16','',X'','email,openid,profile,r_organization_social,rw_organization_admin,w_member_social,w_organization_social',1800577278050049,1826929278050049,1,0,'',1795393278069643,1795393278069643,0);
INSERT INTO "accounts" VALUES('01a205c7-50af-7fe1-8275-c3d36b951e1e','01a205c7-4f89-756b-93e2-7a91e2051696',1,'user-1','conn_779ea11d05a6a83dcd6d866cebb90150','17841405822304914','harbour.bakery','Harbour Bakery','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/h','business','active',X'01441EDC5698F80DFE1E20775A6A46455BA8016751221D1CB881ED40B9619CB4687100AA9A3E336342B888EE41D16FAAC137991870897000CA167198D8E913A8D2734BCA43B88260A1A626622CFA18C3B6F34B15DC94D411A90B540F4AF41C855D1A0A66F260B02B23517A3C94BC6548BBF4B60EB405CE54776BCF06CF9871D7CA2054EB619446C8CE3FE1979DC21200188BE0679E3109D73168CFB52F4FADCBBE924635F041D8B6447EAB668EF306CA8CF13AC4540D2EA8179B6B79AAAF683E3FAFE917FFF82A54991E21109359FF3A97EA072058C2F683D1E0C9AC8A15197FFFE26F062EDEE04DF1697DE8CCE2',X'','{"user_id":"10229384756102938","page_id":"105312345678901234","data_access_expires_at":"2027-02-21T00:21:18Z","publishing_quota":{"used":0,"total":100,"asked_at":"2026-11-23T00:21:21.267386Z"}}',X'01441EDC5656869234FA0EDA5E393B3980F40167799CA1735342D2321BDCD92F702D65E76D6172B1B0F33BFF4AF40FA63260719CE07A3C848668AF761CFD90BCCF5DE23768EB5186E0A3C148201C877202101E6D61F1E1BF7CBE0F07216724F6A3FDC0EED519B88C1526585E10D45FFFD2F1AD78F1B4D2359194F0AEDF574CE81CE73211B3DF471225745A83D224694509B3BAF8F61C26B2EF2856104ADAA4E69EE98F6E7754F987AF3BBC4103E4E4120531789938645C4EFAAFA179AFD55AF38BCC623A421BCFF2ED871006442602B6481C17DF3AFD83246FCAFBD2D75FAFF0BF1F9CAC','public_profile,instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list,pages_read_engagement,business_management',0,0,1,0,'',1795393278127809,1795393281267386,0);
INSERT INTO "accounts" VALUES('01a205c7-50af-7cfc-b03b-797e3c66a89f','01a205c7-4f89-756b-93e2-7a91e2051696',1,'user-1','conn_779ea11d05a6a83dcd6d866cebb90150','17841409876543210','lighthouse.books','lighthouse.books','','http://sandbox.example/scontent.xx.fbcdn.net/avatar/l','business','active',X'01441EDC56D7D048212C43C2C94C1FB9C652E59927E8B2F1B452927C28F8C9EF6E3222DCAFCE50AA61486670485CADC81EF13E58E40ED1E571DE66E2ADE566AEDCC6712241EF06DA357C1C7E77FC5D28AA161D4F75AD5A839487036FACED312441C0D5CD9C1B70CCC119871664C98662FF07AB2B1562FA4BD383A5522087F7021A768787829D8E57CCA3E2566A1CF327BF671D228BD6539E9A90C2CFF085146A03965EC4BF405DA2D5BA5A1F5E1CCE0A676670973A9A50C7D3F1D17638C6C69CC3678AAC5565E6FA75E16CF881E41431888931FD5E589783B8D5981D3C62523412D53908B793312AA0AFA219A88E',X'','{"user_id":"10229384756102938","page_id":"107398765432109876","data_access_expires_at":"2027-02-21T00:21:18Z"}',X'01441EDC56F4F93883A87F451F49EAEDC6B6907C583AEB4E1F23363BFA46D908C4A3EB0BA81DF634276C37705350064F2C7B9FD5C9498A8B5EB1690D3A580B57C4433FEDD2BA2AEF74620B23BC4BC60DC9A7D5A39FCBD081D0EF14C7C93B469931A628D5FC31112D23CD59993600DAE6F11A9C958F57ECAEE225453704B7590D1EF418E513232F82DA76B36835080FBC225D616DE20B2054D9A1E79802AA81FC5A723BF389A213C5587F2F81DACBF3748A26FCE361E7F302F253CDA0A43CC2BAB5DA69BBBE4FE95F2456EFA23A19CF939567C0396805B8B660EAE52E83606329643981B3','public_profile,instagram_basic,instagram_content_publish,instagram_manage_comments,pages_show_list,pages_read_engagement,business_management',0,0,1,0,'',1795393278127809,1795393278127809,0);
CREATE TABLE admins (
	id TEXT NOT NULL PRIMARY KEY,
	email TEXT NOT NULL UNIQUE,
	password_hash TEXT NOT NULL,
	created_at_us BIGINT NOT NULL
);
INSERT INTO "admins" VALUES('01a205c7-4f89-7a77-93ab-156e3f11ecbc','owner@old.example','',1795393277833834);
CREATE TABLE app_tokens (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	token_hash TEXT NOT NULL UNIQUE,
	expires_at_us BIGINT NOT NULL,
	issued_at_us BIGINT NOT NULL
);
INSERT INTO "app_tokens" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696','98138b1b1c2330250188263bcf64a1dfc1482898d91bc497362ff1b449f8a320',1826929277924383,1795393277924383);
CREATE TABLE app_work (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	is_paused BIGINT NOT NULL CHECK (is_paused IN (0, 1)),
	next_due_us BIGINT NOT NULL,
	scheduled_count BIGINT NOT NULL CHECK (scheduled_count >= 0),
	last_ordinal BIGINT NOT NULL,
	last_created_at_us BIGINT NOT NULL
) WITHOUT ROWID;
INSERT INTO "app_work" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',0,1795393286315238,3,9,1795393281256628);
CREATE TABLE apps (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	client_id TEXT NOT NULL UNIQUE,
	client_secret_hash TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('draft', 'active', 'suspended')),
	owner_id TEXT NOT NULL,
	redirect_urls TEXT NOT NULL,
	retry_unknown_once BIGINT NOT NULL CHECK (retry_unknown_once IN (0, 1)),
	connect_confirmation BIGINT NOT NULL CHECK (connect_confirmation IN (0, 1)),
	created_at_us BIGINT NOT NULL
);
INSERT INTO "apps" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696','Old app','phc_NRRtI3pJpYOWl0t_CioXkfWo','a2e09afe7dbc2dc671ad3fbcf22afdcbfc297b0c1556bc1eca1606f7f51f820f','active','01a205c7-4f89-7a77-93ab-156e3f11ecbc','',0,0,1795393277833834);
CREATE TABLE connection_accounts (
	connection_id TEXT NOT NULL REFERENCES connections (id),
	ordinal BIGINT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	PRIMARY KEY (connection_id, ordinal)
) WITHOUT ROWID;
INSERT INTO "connection_accounts" VALUES('conn_2d5b8a4729d99e7b9360d25e8bdb141a',0,'01a205c7-5052-7669-b2c0-7f93f935260d');
INSERT INTO "connection_accounts" VALUES('conn_2d5b8a4729d99e7b9360d25e8bdb141a',1,'01a205c7-5052-7298-8625-3f3c26dd25be');
INSERT INTO "connection_accounts" VALUES('conn_5d6d57239f70a865dbfcf529f2875d00',0,'01a205c7-5075-778d-9f3b-f212fdbc9e9e');
INSERT INTO "connection_accounts" VALUES('conn_5d6d57239f70a865dbfcf529f2875d00',1,'01a205c7-5075-77d3-99a6-5d4a2cdc4f0a');
INSERT INTO "connection_accounts" VALUES('conn_779ea11d05a6a83dcd6d866cebb90150',0,'01a205c7-50af-7fe1-8275-c3d36b951e1e');
INSERT INTO "connection_accounts" VALUES('conn_779ea11d05a6a83dcd6d866cebb90150',1,'01a205c7-50af-7cfc-b03b-797e3c66a89f');
INSERT INTO "connection_accounts" VALUES('conn_9b73959e65c838acb6dfb7e9872b0595',0,'01a205c7-5006-79f0-98e4-445c6349667e');
CREATE TABLE connections (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	redirect_url TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	state_hash TEXT NOT NULL,
	callback_url TEXT NOT NULL,
	pkce_sealed BLOB NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'success', 'failed')),
	error TEXT NOT NULL,
	error_description TEXT NOT NULL,
	code_sealed BLOB NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed BLOB NOT NULL,
	created_at_us BIGINT NOT NULL,
	finished_at_us BIGINT NOT NULL
, confirm_hash TEXT NOT NULL DEFAULT '');
INSERT INTO "connections" VALUES('conn_9b73959e65c838acb6dfb7e9872b0595','01a205c7-4f89-756b-93e2-7a91e2051696',3,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/x/callback',X'','success','','',X'','',X'',1795393277931938,1795393277958236,'');
INSERT INTO "connections" VALUES('conn_2d5b8a4729d99e7b9360d25e8bdb141a','01a205c7-4f89-756b-93e2-7a91e2051696',2,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/facebook/callback',X'','success','','',X'','',X'',1795393277978970,1795393278034415,'');
INSERT INTO "connections" VALUES('conn_5d6d57239f70a865dbfcf529f2875d00','01a205c7-4f89-756b-93e2-7a91e2051696',4,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/linkedin/callback',X'','success','','',X'','',X'',1795393278042929,1795393278069643,'');
INSERT INTO "connections" VALUES('conn_779ea11d05a6a83dcd6d866cebb90150','01a205c7-4f89-756b-93e2-7a91e2051696',1,'user-1','https://customer.example/done','','','','http://posthorn.example/v1/oauth/instagram/callback',X'','success','','',X'','',X'',1795393278076237,1795393278127809,'');
CREATE TABLE counters (
	app_id TEXT NOT NULL,
	scale BIGINT NOT NULL,
	status TEXT NOT NULL,
	bucket BIGINT NOT NULL,
	count BIGINT NOT NULL CHECK (count >= 0),
	PRIMARY KEY (app_id, scale, status, bucket)
) WITHOUT ROWID;
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',0,'failed',20780,3);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',0,'pending',20780,3);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',0,'published',20780,1);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',0,'scheduled',20780,2);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',1,'failed',0,3);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',1,'pending',0,3);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',1,'published',0,1);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',1,'scheduled',0,2);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',2,'failed',0,3);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',2,'pending',0,3);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',2,'published',0,1);
INSERT INTO "counters" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',2,'scheduled',0,2);
CREATE TABLE deliveries (
	id TEXT NOT NULL PRIMARY KEY,
	post_id TEXT NOT NULL REFERENCES posts (id),
	post_ordinal BIGINT NOT NULL,
	ordinal BIGINT NOT NULL,
	app_id TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	platform BIGINT NOT NULL,
	state TEXT NOT NULL CHECK (state IN
		('pending', 'scheduled', 'processing', 'retrying', 'published', 'failed')),
	is_final BIGINT NOT NULL CHECK (is_final IN (0, 1)),
	due_at_us BIGINT NOT NULL,
	lease_until_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed BLOB NOT NULL,
	call_state BIGINT NOT NULL,
	call_started_at_us BIGINT NOT NULL,
	looks BIGINT NOT NULL,
	republished BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	published_at_us BIGINT NOT NULL,
	error_code TEXT NOT NULL,
	error_message TEXT NOT NULL,
	platform_code TEXT NOT NULL,
	platform_message TEXT NOT NULL,
	error_is_transient BIGINT NOT NULL,
	parts TEXT NOT NULL,
	UNIQUE (post_id, account_id)
);
INSERT INTO "deliveries" VALUES('01a205c7-50c4-7c5e-a344-2c8702830e9c','01a205c7-50c4-7d1a-904d-5ae919da9c53',1,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5006-79f0-98e4-445c6349667e',3,'published',1,1795393278148124,0,1,1,'{"version":1,"stage":"start","probe":"","parts":[{"done":true,"id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479"}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693043"}}',X'',0,1795393278153947,0,0,'2124659518594879479','https://x.com/jodoe/status/2124659518594879479',1795393278156121,'','','','',0,'[{"state":"published","remote_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479"}]');
INSERT INTO "deliveries" VALUES('01a205c7-50c4-7bcb-a4c5-7acf97676f85','01a205c7-50c4-7d1a-904d-5ae919da9c53',1,1,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5052-7669-b2c0-7f93f935260d',2,'published',1,1795393278148124,0,1,1,'{"version":1,"stage":"start","probe":"","parts":[{"done":true,"id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496"}],"vars":{"delivery.clock_ahead_us":"1795387075693029"}}',X'',0,1795393278153900,0,0,'105312345678901234_129489348970381496','http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496',1795393278165440,'','','','',0,'[{"state":"published","remote_id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496"}]');
INSERT INTO "deliveries" VALUES('01a205c7-510e-793b-8eec-da5aeee18b00','01a205c7-510e-7238-a376-3d5a2e48fecc',2,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5006-79f0-98e4-445c6349667e',3,'failed',1,1795393278222786,0,1,1,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693036"}}',X'01441EDC56730B8E684F6DF83234AAF811668592A0AADDC732D03E53F085FEBB8A56C9B6654CE77B0FFAF10F5B3EA5',0,0,0,0,'','',0,'DUPLICATE_CONTENT','X says that this was posted already.','','You are not allowed to create a Tweet with duplicate content.',0,'[{"state":"failed","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-515d-7e57-be06-31d11a8e10b4','01a205c7-515d-7e0e-9f0c-14f5873f320f',3,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5006-79f0-98e4-445c6349667e',3,'failed',1,1795393280891817,0,8,0,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693035","delivery.doubt_us":"1795393278312147","part0_doubt_us":"1795393276199320"}}',X'01441EDC567C2F72DE96999C04FCB9CB44045E2F14FD1CD24E09605061AEE020B8DF1F8BCB8913BF14EA82FB4FE7E6',0,1795393278305476,5,0,'','',0,'OUTCOME_UNKNOWN','It cannot be proven whether the post was published; it was not repeated.','','',0,'[{"state":"failed","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-5c86-73f4-b451-132d27f0604f','01a205c7-5c86-7d31-bd93-65a4c5fd0852',4,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5006-79f0-98e4-445c6349667e',3,'scheduled',0,1795393881000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-5c86-780c-a490-a064931b3099','01a205c7-5c86-7d31-bd93-65a4c5fd0852',4,1,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5075-778d-9f3b-f212fdbc9e9e',4,'scheduled',0,1795393881000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-5cab-7a53-9c42-ef5fffce4246','01a205c7-5cab-7dc6-be99-a0703c011462',5,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5052-7669-b2c0-7f93f935260d',2,'scheduled',0,1795394481000000,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-5cb5-72d5-9174-0e7f0ac58ddc','01a205c7-5cb5-7a65-abff-6aa40feb6417',6,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5052-7669-b2c0-7f93f935260d',2,'failed',1,1795395081000000,0,1,0,'',X'',0,0,0,0,'','',0,'CANCELLED','The post was cancelled before it was sent.','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-5cd8-77b0-a962-ffae49fcd19d','01a205c7-5cd8-7629-95c0-eab4b424c951',7,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5006-79f0-98e4-445c6349667e',3,'processing',0,1795393281240430,1795393401241668,1,0,'{"version":1,"stage":"create","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"x.part":"0","delivery.clock_ahead_us":"1795387075693034"}}',X'01441EDC565160E623986B6F6C3F1714DFD6BA118F314E56ABA080DDA716626489036EEF478A61164D8AA7594D9642',1,1795393281242280,0,0,'','',0,'','','','',0,'[{"state":"pending","remote_id":null,"url":null}]');
INSERT INTO "deliveries" VALUES('01a205c7-5ce1-71c6-81de-62f77b2a6956','01a205c7-5ce1-7306-9722-7a3dca878e7d',8,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5006-79f0-98e4-445c6349667e',3,'pending',0,1795393281249853,0,0,0,'',X'',0,0,0,0,'','',0,'','','','',0,'');
INSERT INTO "deliveries" VALUES('01a205c7-5ce8-75eb-982f-7ef444cba83b','01a205c7-5ce8-7e39-8aa1-cc40fec9c9cb',9,0,'01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-50af-7fe1-8275-c3d36b951e1e',1,'processing',0,1795393286315238,0,2,0,'{"version":1,"stage":"poll","probe":"","parts":[{"done":false,"id":"","url":""}],"vars":{"container":"17860809128810427","polls":"2","waited_ms":"5000"}}',X'01441EDC5639255539961DBA10F1C7E34FE5C9AAD2D9CF1AB5B53EE05A401A7BC056F344B6FA58CBD5507E5BA3CD2C',0,0,0,0,'','',0,'','','','',0,'[{"state":"pending","remote_id":null,"url":null}]');
CREATE TABLE events (
	seq INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	kind BIGINT NOT NULL,
	subject_id TEXT NOT NULL,
	post_id TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	body TEXT NOT NULL
);
INSERT INTO "events" VALUES(1,'01a205c7-5006-70d1-8d1c-f46f63dc73e9','01a205c7-4f89-756b-93e2-7a91e2051696',3,'conn_9b73959e65c838acb6dfb7e9872b0595','',1795393277958366,0,'');
INSERT INTO "events" VALUES(2,'01a205c7-5052-7500-82c7-cb04928ea1b6','01a205c7-4f89-756b-93e2-7a91e2051696',3,'conn_2d5b8a4729d99e7b9360d25e8bdb141a','',1795393278034459,0,'');
INSERT INTO "events" VALUES(3,'01a205c7-5075-79bf-baf5-4904e8bd618a','01a205c7-4f89-756b-93e2-7a91e2051696',3,'conn_5d6d57239f70a865dbfcf529f2875d00','',1795393278069683,0,'');
INSERT INTO "events" VALUES(4,'01a205c7-50af-74d5-b011-6ebda38eba74','01a205c7-4f89-756b-93e2-7a91e2051696',3,'conn_779ea11d05a6a83dcd6d866cebb90150','',1795393278127865,0,'');
INSERT INTO "events" VALUES(5,'01a205c7-50cc-7a7c-b18b-a725f5b54904','01a205c7-4f89-756b-93e2-7a91e2051696',0,'01a205c7-50c4-7c5e-a344-2c8702830e9c','01a205c7-50c4-7d1a-904d-5ae919da9c53',1795393278156290,0,'{"id":"01a205c7-50cc-7a7c-b18b-a725f5b54904","event":"post.publish.succeeded","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:18.15629Z","data":{"id":"01a205c7-50c4-7d1a-904d-5ae919da9c53","request_id":"old-published","external_user_id":"user-1","status":"processing","state":"processing","outcome":"partial","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:18.148124Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-50c4-7c5e-a344-2c8702830e9c","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479","error":null,"state":"published","published_at":"2026-11-23T00:21:18.156121Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479"}]},{"id":"01a205c7-50c4-7bcb-a4c5-7acf97676f85","account_id":"01a205c7-5052-7669-b2c0-7f93f935260d","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"pending","scheduled_at":null,"platform_post_id":null,"url":null,"error":null,"state":"processing","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"pending","remote_id":null,"url":null}]}],"tags":[],"platform_post":{"id":"01a205c7-50c4-7c5e-a344-2c8702830e9c","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479","error":null,"state":"published","published_at":"2026-11-23T00:21:18.156121Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479"}]}}}');
INSERT INTO "events" VALUES(6,'01a205c7-50d5-757a-8fe1-65dddb481980','01a205c7-4f89-756b-93e2-7a91e2051696',0,'01a205c7-50c4-7bcb-a4c5-7acf97676f85','01a205c7-50c4-7d1a-904d-5ae919da9c53',1795393278165873,0,'{"id":"01a205c7-50d5-757a-8fe1-65dddb481980","event":"post.publish.succeeded","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:18.165873Z","data":{"id":"01a205c7-50c4-7d1a-904d-5ae919da9c53","request_id":"old-published","external_user_id":"user-1","status":"published","state":"published","outcome":"all","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:18.148124Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-50c4-7c5e-a344-2c8702830e9c","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479","error":null,"state":"published","published_at":"2026-11-23T00:21:18.156121Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479"}]},{"id":"01a205c7-50c4-7bcb-a4c5-7acf97676f85","account_id":"01a205c7-5052-7669-b2c0-7f93f935260d","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496","error":null,"state":"published","published_at":"2026-11-23T00:21:18.16544Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496"}]}],"tags":[],"platform_post":{"id":"01a205c7-50c4-7bcb-a4c5-7acf97676f85","account_id":"01a205c7-5052-7669-b2c0-7f93f935260d","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496","error":null,"state":"published","published_at":"2026-11-23T00:21:18.16544Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496"}]}}}');
INSERT INTO "events" VALUES(7,'01a205c7-50d5-7559-9892-3d9ae34ea9de','01a205c7-4f89-756b-93e2-7a91e2051696',2,'01a205c7-50c4-7d1a-904d-5ae919da9c53','01a205c7-50c4-7d1a-904d-5ae919da9c53',1795393278165973,0,'{"id":"01a205c7-50d5-7559-9892-3d9ae34ea9de","event":"post.completed","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:18.165973Z","data":{"id":"01a205c7-50c4-7d1a-904d-5ae919da9c53","request_id":"old-published","external_user_id":"user-1","status":"published","state":"published","outcome":"all","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:18.148124Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-50c4-7c5e-a344-2c8702830e9c","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"published","scheduled_at":null,"platform_post_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479","error":null,"state":"published","published_at":"2026-11-23T00:21:18.156121Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"2124659518594879479","url":"https://x.com/jodoe/status/2124659518594879479"}]},{"id":"01a205c7-50c4-7bcb-a4c5-7acf97676f85","account_id":"01a205c7-5052-7669-b2c0-7f93f935260d","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"published","scheduled_at":null,"platform_post_id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496","error":null,"state":"published","published_at":"2026-11-23T00:21:18.16544Z","attempts":1,"next_attempt_at":null,"parts":[{"state":"published","remote_id":"105312345678901234_129489348970381496","url":"http://sandbox.example/www.facebook.com/105312345678901234_129489348970381496"}]}],"tags":[]}}');
INSERT INTO "events" VALUES(8,'01a205c7-5114-77ab-bf2b-40d6d1218eab','01a205c7-4f89-756b-93e2-7a91e2051696',1,'01a205c7-510e-793b-8eec-da5aeee18b00','01a205c7-510e-7238-a376-3d5a2e48fecc',1795393278228901,0,'{"id":"01a205c7-5114-77ab-bf2b-40d6d1218eab","event":"post.publish.failed","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:18.228901Z","data":{"id":"01a205c7-510e-7238-a376-3d5a2e48fecc","request_id":"old-failed","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:18.222786Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-510e-793b-8eec-da5aeee18b00","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[],"platform_post":{"id":"01a205c7-510e-793b-8eec-da5aeee18b00","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}}}');
INSERT INTO "events" VALUES(9,'01a205c7-5114-709f-a03c-524364f3ed34','01a205c7-4f89-756b-93e2-7a91e2051696',2,'01a205c7-510e-7238-a376-3d5a2e48fecc','01a205c7-510e-7238-a376-3d5a2e48fecc',1795393278228964,0,'{"id":"01a205c7-5114-709f-a03c-524364f3ed34","event":"post.completed","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:18.228964Z","data":{"id":"01a205c7-510e-7238-a376-3d5a2e48fecc","request_id":"old-failed","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:18.222786Z","containers":[{"content":"old published on two","media":[]}],"platform_posts":[{"id":"01a205c7-510e-793b-8eec-da5aeee18b00","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"DUPLICATE_CONTENT","message":"X says that this was posted already.","platform_code":null,"platform_message":"You are not allowed to create a Tweet with duplicate content.","transient":false},"state":"failed","published_at":null,"attempts":1,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[]}}');
INSERT INTO "events" VALUES(10,'01a205c7-5b83-743b-87b7-68c1b272747b','01a205c7-4f89-756b-93e2-7a91e2051696',1,'01a205c7-515d-7e57-be06-31d11a8e10b4','01a205c7-515d-7e0e-9f0c-14f5873f320f',1795393280899826,0,'{"id":"01a205c7-5b83-743b-87b7-68c1b272747b","event":"post.publish.failed","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:20.899826Z","data":{"id":"01a205c7-515d-7e0e-9f0c-14f5873f320f","request_id":"old-unknown","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:18.301315Z","containers":[{"content":"old unknown","media":[]}],"platform_posts":[{"id":"01a205c7-515d-7e57-be06-31d11a8e10b4","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[],"platform_post":{"id":"01a205c7-515d-7e57-be06-31d11a8e10b4","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}}}');
INSERT INTO "events" VALUES(11,'01a205c7-5b83-746c-950d-4f48b521cb62','01a205c7-4f89-756b-93e2-7a91e2051696',2,'01a205c7-515d-7e0e-9f0c-14f5873f320f','01a205c7-515d-7e0e-9f0c-14f5873f320f',1795393280899895,0,'{"id":"01a205c7-5b83-746c-950d-4f48b521cb62","event":"post.completed","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:20.899895Z","data":{"id":"01a205c7-515d-7e0e-9f0c-14f5873f320f","request_id":"old-unknown","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":null,"created_at":"2026-11-23T00:21:18.301315Z","containers":[{"content":"old unknown","media":[]}],"platform_posts":[{"id":"01a205c7-515d-7e57-be06-31d11a8e10b4","account_id":"01a205c7-5006-79f0-98e4-445c6349667e","platform":"x","platform_id":3,"handle":"jodoe","status":"failed","scheduled_at":null,"platform_post_id":null,"url":null,"error":{"code":"OUTCOME_UNKNOWN","message":"It cannot be proven whether the post was published; it was not repeated.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[{"state":"failed","remote_id":null,"url":null}]}],"tags":[]}}');
INSERT INTO "events" VALUES(12,'01a205c7-5cc0-79dd-b14a-481859d21dea','01a205c7-4f89-756b-93e2-7a91e2051696',1,'01a205c7-5cb5-72d5-9174-0e7f0ac58ddc','01a205c7-5cb5-7a65-abff-6aa40feb6417',1795393281216618,0,'{"id":"01a205c7-5cc0-79dd-b14a-481859d21dea","event":"post.publish.failed","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:21.216618Z","data":{"id":"01a205c7-5cb5-7a65-abff-6aa40feb6417","request_id":"old-scheduled-2","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":"2026-11-23T00:51:21Z","created_at":"2026-11-23T00:21:21.205492Z","containers":[{"content":"old scheduled 2","media":[]}],"platform_posts":[{"id":"01a205c7-5cb5-72d5-9174-0e7f0ac58ddc","account_id":"01a205c7-5052-7669-b2c0-7f93f935260d","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:21Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}],"tags":[],"platform_post":{"id":"01a205c7-5cb5-72d5-9174-0e7f0ac58ddc","account_id":"01a205c7-5052-7669-b2c0-7f93f935260d","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:21Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}}}');
INSERT INTO "events" VALUES(13,'01a205c7-5cc0-7336-90f4-9ef92711aa50','01a205c7-4f89-756b-93e2-7a91e2051696',2,'01a205c7-5cb5-7a65-abff-6aa40feb6417','01a205c7-5cb5-7a65-abff-6aa40feb6417',1795393281216900,0,'{"id":"01a205c7-5cc0-7336-90f4-9ef92711aa50","event":"post.completed","app_id":"01a205c7-4f89-756b-93e2-7a91e2051696","timestamp":"2026-11-23T00:21:21.2169Z","data":{"id":"01a205c7-5cb5-7a65-abff-6aa40feb6417","request_id":"old-scheduled-2","external_user_id":"user-1","status":"failed","state":"failed","outcome":"none","mode":"basic","scheduled_at":"2026-11-23T00:51:21Z","created_at":"2026-11-23T00:21:21.205492Z","containers":[{"content":"old scheduled 2","media":[]}],"platform_posts":[{"id":"01a205c7-5cb5-72d5-9174-0e7f0ac58ddc","account_id":"01a205c7-5052-7669-b2c0-7f93f935260d","platform":"facebook","platform_id":2,"handle":"harbourbakery","status":"failed","scheduled_at":"2026-11-23T00:51:21Z","platform_post_id":null,"url":null,"error":{"code":"CANCELLED","message":"The post was cancelled before it was sent.","platform_code":null,"platform_message":null,"transient":false},"state":"failed","published_at":null,"attempts":0,"next_attempt_at":null,"parts":[]}],"tags":[]}}');
CREATE TABLE evidence (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	parts TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE holds (
	delivery_id TEXT NOT NULL PRIMARY KEY REFERENCES deliveries (id),
	platform BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE lanes (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
	app_id TEXT NOT NULL,
	busy_delivery_id TEXT NOT NULL,
	next_due_us BIGINT NOT NULL
, platform_mask BIGINT NOT NULL DEFAULT 0) WITHOUT ROWID;
INSERT INTO "lanes" VALUES('01a205c7-5006-79f0-98e4-445c6349667e','01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5cd8-77b0-a962-ffae49fcd19d',1795393401241668,8);
INSERT INTO "lanes" VALUES('01a205c7-5052-7669-b2c0-7f93f935260d','01a205c7-4f89-756b-93e2-7a91e2051696','',1795394481000000,4);
INSERT INTO "lanes" VALUES('01a205c7-5075-778d-9f3b-f212fdbc9e9e','01a205c7-4f89-756b-93e2-7a91e2051696','',1795393881000000,16);
INSERT INTO "lanes" VALUES('01a205c7-50af-7fe1-8275-c3d36b951e1e','01a205c7-4f89-756b-93e2-7a91e2051696','01a205c7-5ce8-75eb-982f-7ef444cba83b',1795393286315238,2);
CREATE TABLE meta (
	name TEXT NOT NULL PRIMARY KEY,
	number BIGINT NOT NULL
);
INSERT INTO "meta" VALUES('epoch_number',3);
INSERT INTO "meta" VALUES('epoch_at_us',1795393281050719);
INSERT INTO "meta" VALUES('epoch_lineage',1680968938440501808);
CREATE TABLE platform_credentials (
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	client_id TEXT NOT NULL,
	client_secret_sealed BLOB NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'verified', 'failed')),
	message TEXT NOT NULL,
	verified_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL,
	PRIMARY KEY (app_id, platform)
);
INSERT INTO "platform_credentials" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',3,'sandbox-x',X'01441EDC5636D84A7824092965152C9A3A6C1AEF9C0D580955A8044E12C2653F81425790C6266EECA2C815E9B407D256DA9A6E787949A0E0E14758046F','verified','',1795393277860647,1795393277860647);
INSERT INTO "platform_credentials" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',2,'sandbox-facebook',X'01441EDC561C66D0A4084BA4E6868CB55C3B3084BA7FD2560A87CC78F8D5032A47BC82A056933638D333449AF7512806F764CA6F78DE156B355C5DE6FAC2205809791DFC','verified','',1795393277882043,1795393277882043);
INSERT INTO "platform_credentials" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',4,'sandbox-linkedin',X'01441EDC56F0E00CE1B6822DE4731CC060C480A5C2CC382D9B7DF9CA94B9BA88B2CFBA190FD3D0FD306F203408D29F25637FE7FE84BE1154ADE015571BBE31C861A3F8F8','verified','',1795393277902982,1795393277902982);
INSERT INTO "platform_credentials" VALUES('01a205c7-4f89-756b-93e2-7a91e2051696',1,'sandbox-instagram',X'01441EDC56F64253A11A85C1F41E4049BB0CC907F47697C8BA0C4A0C374C7D7C0032A2196B87126EFF4962966B4D0F209E7B4F246E00EABDBA410E054224793F1B430A543A','verified','',1795393277919163,1795393277919163);
CREATE TABLE posts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	ordinal BIGINT NOT NULL,
	request_id TEXT NOT NULL,
	external_user_id TEXT NOT NULL,
	state TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'scheduled', 'published', 'failed')),
	mode BIGINT NOT NULL,
	platform_mask BIGINT NOT NULL,
	scheduled_at_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	date_us BIGINT NOT NULL,
	content TEXT NOT NULL,
	UNIQUE (app_id, request_id)
);
INSERT INTO "posts" VALUES('01a205c7-50c4-7d1a-904d-5ae919da9c53','01a205c7-4f89-756b-93e2-7a91e2051696',1,'old-published','user-1','published','published',0,12,0,1795393278148124,1795393278148124,'{"mode":"basic","containers":[{"content":"old published on two","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-510e-7238-a376-3d5a2e48fecc','01a205c7-4f89-756b-93e2-7a91e2051696',2,'old-failed','user-1','failed','failed',0,8,0,1795393278222786,1795393278222786,'{"mode":"basic","containers":[{"content":"old published on two","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-515d-7e0e-9f0c-14f5873f320f','01a205c7-4f89-756b-93e2-7a91e2051696',3,'old-unknown','user-1','failed','failed',0,8,0,1795393278301315,1795393278301315,'{"mode":"basic","containers":[{"content":"old unknown","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-5c86-7d31-bd93-65a4c5fd0852','01a205c7-4f89-756b-93e2-7a91e2051696',4,'old-scheduled-0','user-1','scheduled','scheduled',0,24,1795393881000000,1795393281158850,1795393881000000,'{"mode":"basic","containers":[{"content":"old scheduled 0","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-5cab-7dc6-be99-a0703c011462','01a205c7-4f89-756b-93e2-7a91e2051696',5,'old-scheduled-1','user-1','scheduled','scheduled',0,4,1795394481000000,1795393281195176,1795394481000000,'{"mode":"basic","containers":[{"content":"old scheduled 1","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-5cb5-7a65-abff-6aa40feb6417','01a205c7-4f89-756b-93e2-7a91e2051696',6,'old-scheduled-2','user-1','failed','failed',0,4,1795395081000000,1795393281205492,1795395081000000,'{"mode":"basic","containers":[{"content":"old scheduled 2","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-5cd8-7629-95c0-eab4b424c951','01a205c7-4f89-756b-93e2-7a91e2051696',7,'old-in-flight','user-1','processing','pending',0,8,0,1795393281240430,1795393281240430,'{"mode":"basic","containers":[{"content":"old in flight","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-5ce1-7306-9722-7a3dca878e7d','01a205c7-4f89-756b-93e2-7a91e2051696',8,'old-queued','user-1','pending','pending',0,8,0,1795393281249853,1795393281249853,'{"mode":"basic","containers":[{"content":"old queued behind it","media":[]}]}');
INSERT INTO "posts" VALUES('01a205c7-5ce8-7e39-8aa1-cc40fec9c9cb','01a205c7-4f89-756b-93e2-7a91e2051696',9,'old-waiting','user-1','processing','pending',0,2,0,1795393281256628,1795393281256628,'{"mode":"basic","containers":[{"content":"old waiting","media":[{"url":"http://media.example/29199ee11e6b470eabb4531fa430639f/picture.jpg","type":"image"}]}]}');
CREATE TABLE remote_ids (
	account_id TEXT NOT NULL,
	remote_id TEXT NOT NULL,
	delivery_id TEXT NOT NULL,
	PRIMARY KEY (account_id, remote_id, delivery_id)
) WITHOUT ROWID;
INSERT INTO "remote_ids" VALUES('01a205c7-5006-79f0-98e4-445c6349667e','2124659518594879479','01a205c7-50c4-7c5e-a344-2c8702830e9c');
INSERT INTO "remote_ids" VALUES('01a205c7-5052-7669-b2c0-7f93f935260d','105312345678901234_129489348970381496','01a205c7-50c4-7bcb-a4c5-7acf97676f85');
CREATE TABLE schema_migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
INSERT INTO "schema_migrations" VALUES(1,'start');
INSERT INTO "schema_migrations" VALUES(2,'guard');
INSERT INTO "schema_migrations" VALUES(3,'lane_platform');
INSERT INTO "schema_migrations" VALUES(4,'events');
INSERT INTO "schema_migrations" VALUES(5,'confirmation');
CREATE TABLE timeline (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	stage TEXT NOT NULL,
	method TEXT NOT NULL,
	host_path TEXT NOT NULL,
	status BIGINT NOT NULL,
	duration_us BIGINT NOT NULL,
	verdict TEXT NOT NULL,
	decision TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) WITHOUT ROWID;
INSERT INTO "timeline" VALUES('01a205c7-50c4-7bcb-a4c5-7acf97676f85',1,1795393278154651,'feed','POST','graph.facebook.com/v25.0/105312345678901234/feed',200,10787,'done','','');
INSERT INTO "timeline" VALUES('01a205c7-50c4-7c5e-a344-2c8702830e9c',1,1795393278154679,'create','POST','api.x.com/2/tweets',201,1440,'done','','');
INSERT INTO "timeline" VALUES('01a205c7-510e-793b-8eec-da5aeee18b00',1,1795393278226961,'create','POST','api.x.com/2/tweets',403,1819,'refused','failed: DUPLICATE_CONTENT','{"title":"Forbidden","detail":"You are not allowed to create a Tweet with duplicate content.","type":"about:blank","status":403}');
INSERT INTO "timeline" VALUES('01a205c7-515d-7e57-be06-31d11a8e10b4',1,1795393278311628,'create','POST','api.x.com/2/tweets',500,522,'in_doubt','ask the platform what became of it','');
INSERT INTO "timeline" VALUES('01a205c7-515d-7e57-be06-31d11a8e10b4',2,1795393278353209,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,461,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-515d-7e57-be06-31d11a8e10b4',3,1795393278376716,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,552,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-515d-7e57-be06-31d11a8e10b4',4,1795393278485191,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,4082,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-515d-7e57-be06-31d11a8e10b4',5,1795393278891399,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,417,'ok','not proven yet: look again','');
INSERT INTO "timeline" VALUES('01a205c7-515d-7e57-be06-31d11a8e10b4',6,1795393280899405,'resolve look','GET','api.x.com/2/users/1790000000000000123/tweets',200,346,'ok','failed: OUTCOME_UNKNOWN','');
INSERT INTO "timeline" VALUES('01a205c7-5ce8-75eb-982f-7ef444cba83b',1,1795393281266121,'quota','GET','graph.facebook.com/v25.0/17841405822304914/content_publishing_limit',200,1264,'ok','','');
INSERT INTO "timeline" VALUES('01a205c7-5ce8-75eb-982f-7ef444cba83b',2,1795393281306243,'container','POST','graph.facebook.com/v25.0/17841405822304914/media',200,4854,'ok','wait','');
INSERT INTO "timeline" VALUES('01a205c7-5ce8-75eb-982f-7ef444cba83b',3,1795393283314806,'poll','GET','graph.facebook.com/v25.0/17860809128810427',200,431,'ok','wait','');
CREATE TABLE webhook_deliveries (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	webhook_id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	event_seq BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	is_leased BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	log TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	UNIQUE (webhook_id, event_seq)
);
INSERT INTO "webhook_deliveries" VALUES(1,'01a205c7-50bc-7f2b-ac98-7e64d1ad137b','01a205c7-4f89-756b-93e2-7a91e2051696',7,0,1795393285281673,0,3,'[{"at":"2026-11-23T00:21:18.173637Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:18.277646Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:19.281673Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393278169471);
INSERT INTO "webhook_deliveries" VALUES(2,'01a205c7-50bc-7f2b-ac98-7e64d1ad137b','01a205c7-4f89-756b-93e2-7a91e2051696',9,0,1795393285344299,0,3,'[{"at":"2026-11-23T00:21:18.237623Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:18.341538Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:19.344299Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393278232909);
INSERT INTO "webhook_deliveries" VALUES(3,'01a205c7-50bc-7f2b-ac98-7e64d1ad137b','01a205c7-4f89-756b-93e2-7a91e2051696',11,0,1795393581079848,0,2,'[{"at":"2026-11-23T00:21:20.901202Z","status":null,"duration_ms":0,"error":"no connection could be made"},{"at":"2026-11-23T00:21:21.079848Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393280900518);
INSERT INTO "webhook_deliveries" VALUES(4,'01a205c7-50bc-7f2b-ac98-7e64d1ad137b','01a205c7-4f89-756b-93e2-7a91e2051696',13,0,1795393311232752,0,1,'[{"at":"2026-11-23T00:21:21.232752Z","status":null,"duration_ms":0,"error":"no connection could be made"}]',1795393281230127);
CREATE TABLE webhooks (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	url TEXT NOT NULL,
	event_mask BIGINT NOT NULL,
	is_enabled BIGINT NOT NULL CHECK (is_enabled IN (0, 1)),
	disabled_reason TEXT NOT NULL,
	secret_sealed BLOB NOT NULL,
	old_secret_sealed BLOB NOT NULL,
	old_secret_until_us BIGINT NOT NULL,
	failing_since_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL
);
INSERT INTO "webhooks" VALUES('01a205c7-50bc-7f2b-ac98-7e64d1ad137b','01a205c7-4f89-756b-93e2-7a91e2051696','https://127.0.0.1:9/hook',4,1,'',X'01441EDC566DD97C82C1FFFF14907EE2F0B84DA20AD17CF13D81A11F4DFCC451171BE9D44B808388E91F9D796A3AAFA1984BC5E36F4D7D49BAF61C9116C861E6F011653BE99309FCF4C3F919EE4B7C652102D0BD92EDE18C77178B6976706C',X'',0,1795393278173637,1795393278140304,1795393278140304);
CREATE UNIQUE INDEX connections_state_hash ON connections (state_hash) WHERE state_hash <> '';
CREATE INDEX connections_started ON connections (created_at_us)
	WHERE state = 'pending' AND state_hash = '';
CREATE INDEX posts_order ON posts (app_id, status, ordinal, date_us, platform_mask);
CREATE INDEX deliveries_account ON deliveries
	(account_id, is_final, due_at_us, id, post_ordinal);
CREATE INDEX holds_state ON holds (state, platform);
CREATE INDEX lanes_due ON lanes (app_id, next_due_us, platform_mask);
CREATE INDEX events_app ON events (app_id, seq);
CREATE INDEX events_due ON events (due_at_us) WHERE due_at_us > 0;
CREATE INDEX webhooks_app ON webhooks (app_id, created_at_us);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at_us) WHERE due_at_us > 0;
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (due_at_us) WHERE due_at_us > 0;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',13);
INSERT INTO "sqlite_sequence" VALUES('webhook_deliveries',4);
COMMIT;
